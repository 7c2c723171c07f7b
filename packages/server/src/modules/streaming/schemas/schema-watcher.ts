/** Compares schemas periodically while someone views them. Workers claim separate rows. Without viewers there are no requests. */
import { sql } from 'kysely';
import type { Log } from '#ports/log.ts';
import { inEachEnvironment, Rounds } from '../rounds.ts';
import { observeSchemas } from './schema-drift.ts';
import type { SchemaDeps, WatchedSchema } from './schema-rows.ts';

export interface SchemaTimings {
  readonly tickMs: number;
  /** Interval between two comparisons of the same schema. */
  readonly everyMs: number;
}
export const schemaTimings: SchemaTimings = { tickMs: 2000, everyMs: 45_000 };
/** Maximum number of schemas per round. An external registry gets two requests for each. */
const AT_ONCE = 250;
const VIEWED_MINUTES = 2;

/** Claims and returns the schemas to compare. The claim is part of the query, so no other worker takes the same rows. */
const claimDue = async ({ db }: SchemaDeps, everyMs: number): Promise<WatchedSchema[]> => {
  const { rows } = await sql<WatchedSchema>`
    with claimed as (
      update schema_watch set watched_at = now() where schema_id in (
        select schema_id from schema_watch join event_schema on event_schema.id = schema_id and event_schema.state = 'ACTIVE'
        where viewed_at > now() - ${VIEWED_MINUTES} * interval '1 minute' and watched_at < now() - ${everyMs} * interval '1 millisecond'
        order by watched_at limit ${AT_ONCE} for update of schema_watch skip locked)
      returning schema_id, compared_at, drift)
    select event_schema.*, claimed.compared_at, claimed.drift from claimed join event_schema on event_schema.id = schema_id`.execute(db);
  return rows;
};

export const schemaWatcher = (deps: SchemaDeps, log: Log, given: Partial<SchemaTimings> = {}): Rounds => {
  const { tickMs, everyMs } = { ...schemaTimings, ...given };
  const round = async (isStopping: () => boolean): Promise<void> => {
    for (let isMore = true; isMore;) {
      const due = await claimDue(deps, everyMs);
      isMore = due.length === AT_ONCE;
      await inEachEnvironment(async (environment) => {
        const rows = due.filter((row) => row.environment === environment);
        if (rows.length > 0 && !isStopping()) await observeSchemas(deps, environment, rows);
      });
      if (isStopping()) return;
    }
  };
  return new Rounds({ tickMs, round, log, warning: 'The schemas could not be compared with the registry; trying again' });
};
