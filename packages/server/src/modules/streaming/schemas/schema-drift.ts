/**
 * Compares the subjects that schemas own with the registry. The number of requests does not depend on the number of schemas, and only
 * recently viewed schemas are compared.
 */
import { schemaKind } from '@slipway/contract/kinds/schema.kind.ts';
import type { SchemaDrift } from '@slipway/contract/streaming/schema-drift.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { Rounds } from '#kernel/rounds.ts';
import { Problem } from '#kernel/problem.ts';
import { compareEach, latestDrift, watchRows, type ComparisonTable, type WatchTimings } from '#modules/resources/index.ts';
import type { Log } from '#ports/log.ts';
import { compareSubject, seenSubject, type Compared } from './compare-subject.ts';
import { watchedSchema, type SchemaDeps, type SchemaRow, type WatchedSchema } from './schema-rows.ts';

const VIEW_AGAIN_SECONDS = 30;
/** Records that schemas were viewed, so that the watcher compares them. */
export const noteViews = async (db: Db, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await sql`insert into schema_watch as watch (schema_id, viewed_at)
    select id, now() from event_schema where id = any (${ids}) order by id
    on conflict (schema_id) do update set viewed_at = now() where watch.viewed_at < now() - ${VIEW_AGAIN_SECONDS} * interval '1 second'`.execute(
    db,
  );
};

/**
 * Reads what a comparison of schemas of one environment needs: a fixed number of requests for any number of schemas. Returns a function that
 * compares the own subject of one of them.
 */
const schemaComparison = async (
  deps: SchemaDeps,
  environment: SchemaRow['environment'],
  rows: readonly SchemaRow[],
): Promise<(row: SchemaRow) => Promise<Compared>> => {
  const heads = await deps.registry.heads(
    environment,
    rows.map(({ subject }) => subject),
  );
  return async (schema) => {
    const { subject } = schema;
    const found: Compared = { differences: [], same: [] };
    compareSubject(await seenSubject(deps, environment, { subject, schema }, heads.get(subject)), found);
    return found;
  };
};
/** Compares a single schema. */
export const compareSchema = async (deps: SchemaDeps, row: SchemaRow): Promise<Compared> =>
  (await schemaComparison(deps, row.environment, [row]))(row);

const comparisons: ComparisonTable<WatchedSchema, { readonly drift: Compared }> = {
  kind: schemaKind,
  table: 'event_schema',
  beside: { table: 'schema_watch', key: 'schema_id' },
  resultsIn: 'beside',
  wanted: ['revision_id', 'compatibility'],
  results: ['drift'],
};

/** Compares schemas of one environment and saves the results. Throws if the registry is unavailable, or fails for one of them. */
export const observeSchemas =
  (deps: SchemaDeps) =>
  async (rows: readonly WatchedSchema[], environment: SchemaRow['environment']): Promise<boolean> => {
    const compare = await schemaComparison(deps, environment, rows);
    return compareEach(deps.db, comparisons, rows, async (row) => ({ drift: await compare(row) }));
  };

export const schemaDrift = async (deps: SchemaDeps, names: Readonly<Record<string, string>>): Promise<SchemaDrift> => {
  const read = async (): Promise<WatchedSchema> => {
    const found = await watchedSchema(deps.db, names);
    if (!found) throw new Problem('SchemaDoesNotExist');
    return found;
  };
  const row = await read();
  await noteViews(deps.db, [row.id]);
  return latestDrift(read, observeSchemas(deps), row);
};

export const schemaTimings: WatchTimings = { tickMs: 2000, everyMs: 45_000 };
/** Maximum number of schemas per round. An external registry gets two requests for each. */
const AT_ONCE = 250;
const VIEWED_MINUTES = 2;

/** Compares schemas while someone views them. Without viewers there are no requests. */
export const schemaWatcher = (deps: SchemaDeps, log: Log, given: Partial<WatchTimings> = {}): Rounds =>
  watchRows<WatchedSchema, 'environment'>(deps.db, log, {
    ...schemaTimings,
    ...given,
    table: 'event_schema',
    beside: { table: 'schema_watch', key: 'schema_id', columns: ['compared_at', 'drift'] },
    where: sql`state = 'ACTIVE' and viewed_at > now() - ${VIEWED_MINUTES} * interval '1 minute'`,
    engine: 'environment',
    batch: AT_ONCE,
    observe: observeSchemas(deps),
    warning: 'The schemas could not be compared with the registry; trying again',
  });
