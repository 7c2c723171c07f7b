/** Compares schemas periodically while someone views them. Workers claim separate rows. Without viewers there are no requests. */
import { sql } from 'kysely';
import type { Rounds } from '#kernel/rounds.ts';
import { watchRows } from '#modules/resources/index.ts';
import type { Log } from '#ports/log.ts';
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

export const schemaWatcher = (deps: SchemaDeps, log: Log, given: Partial<SchemaTimings> = {}): Rounds => {
  const { tickMs, everyMs } = { ...schemaTimings, ...given };
  return watchRows<WatchedSchema, 'environment'>(deps.db, log, {
    table: 'event_schema',
    beside: { table: 'schema_watch', key: 'schema_id', columns: ['compared_at', 'drift'] },
    where: sql`state = 'ACTIVE' and viewed_at > now() - ${VIEWED_MINUTES} * interval '1 minute'`,
    everyMs,
    engine: 'environment',
    tickMs,
    batch: AT_ONCE,
    observe: observeSchemas(deps),
    warning: 'The schemas could not be compared with the registry; trying again',
  });
};
