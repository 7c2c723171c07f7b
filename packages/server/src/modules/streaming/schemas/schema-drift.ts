/**
 * Compares the subjects that schemas own with the registry. The number of requests does not depend on the number of schemas, and only
 * recently viewed schemas are compared.
 */
import { schemaKind } from '@slipway/contract/streaming/schema.kind.ts';
import type { SchemaDrift } from '@slipway/contract/streaming/schema-drift.ts';
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { notifyChanges } from '#kernel/changes.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import { Problem } from '#kernel/problem.ts';
import { unlessAway } from '../unless-away.ts';
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
 * Adds schema id → differences of its own subject to `found`. All rows are of one environment. A schema that the registry fails for is left
 * out, and the first error is thrown at the end.
 */
const compareSchemas = async (
  deps: SchemaDeps,
  environment: SchemaRow['environment'],
  rows: readonly SchemaRow[],
  found: Map<string, Compared>,
): Promise<void> => {
  const heads = await deps.registry.heads(
    environment,
    rows.map(({ subject }) => subject),
  );
  await eachByItself(rows, async (schema) => {
    const { subject } = schema;
    const seen = await seenSubject(deps, environment, { subject, schema }, heads.get(subject));
    const differences: SchemaDrift['differences'] = [];
    const same: SchemaDrift['same'] = [];
    compareSubject(seen, { differences, same });
    found.set(schema.id, { differences, same });
  });
};
/** Compares a single schema. */
export const compareSchema = async (deps: SchemaDeps, row: SchemaRow): Promise<Compared> => {
  const found = new Map<string, Compared>();
  await compareSchemas(deps, row.environment, [row], found);
  return found.get(row.id) ?? { differences: [], same: [] };
};

interface Look {
  readonly row: WatchedSchema;
  readonly drift: Compared;
}
const isNew = ({ row, drift }: Look): boolean => JSON.stringify(drift.differences) !== JSON.stringify(row.drift?.differences);

/** Saves results, except for schemas that were changed or compared since their row was read. Returns the saved ids. */
const save = (db: Db, looks: readonly Look[], at: Date): Promise<ReadonlySet<string>> =>
  transaction(db, async (trx) => {
    const seen = looks.map(({ row, drift }) => ({
      id: row.id,
      before: row.compared_at,
      revision: row.revision_id,
      level: row.compatibility,
      drift,
    }));
    const { rows } = await sql<{ id: string }>`
      with seen as (
        select * from jsonb_to_recordset(${JSON.stringify(seen)}::jsonb) as seen (id text, before timestamptz, revision integer, level text, drift jsonb)),
      current as (
        select seen.* from seen join event_schema on event_schema.id = seen.id and event_schema.state = 'ACTIVE'
          and event_schema.revision_id is not distinct from seen.revision and event_schema.compatibility = seen.level)
      insert into schema_watch as watch (schema_id, watched_at, compared_at, drift)
        select id, now(), ${at}::timestamptz, drift from current order by id
      on conflict (schema_id) do update set compared_at = excluded.compared_at, drift = excluded.drift
        where watch.compared_at is not distinct from (select before from current where current.id = watch.schema_id)
      returning schema_id as id`.execute(trx);
    const kept = new Set(rows.map(({ id }) => id));
    const hints = looks
      .filter((look) => kept.has(look.row.id) && isNew(look))
      .map(({ row }) => ({ kind: schemaKind.kind, app: row.app_id, env: row.environment, schema: row.name }));
    await notifyChanges(trx, hints);
    return kept;
  });

/**
 * Compares schemas of one environment and saves the results. Returns whether all were saved. Throws if the registry is unavailable, or fails
 * for one of them.
 */
export const observeSchemas = async (
  deps: SchemaDeps,
  environment: SchemaRow['environment'],
  rows: readonly WatchedSchema[],
): Promise<boolean> => {
  const drifts = new Map<string, Compared>();
  let kept = 0;
  try {
    await compareSchemas(deps, environment, rows, drifts);
  } finally {
    const looks = rows.flatMap((row): Look[] => {
      const drift = drifts.get(row.id);
      return drift ? [{ row, drift }] : [];
    });
    kept = (await save(deps.db, looks, new Date())).size;
  }
  return kept === rows.length;
};

const TRIES = 3;
/** Compares a schema now. Retries if another comparison ran at the same time. */
export const observeSchemaNow = async (deps: SchemaDeps, read: () => Promise<WatchedSchema>): Promise<void> => {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const row = await read();
    if (await observeSchemas(deps, row.environment, [row])) return;
  }
};

const COMPARED_MS = 60_000;
/** Returns the drift, compared again after a minute. If the registry is unavailable, returns the last result, marked as outdated. */
export const schemaDrift = async (deps: SchemaDeps, names: Readonly<Record<string, string>>): Promise<SchemaDrift> => {
  const read = async (): Promise<WatchedSchema> => {
    const found = await watchedSchema(deps.db, names);
    if (!found) throw new Problem('SchemaDoesNotExist');
    return found;
  };
  const row = await read();
  await noteViews(deps.db, [row.id]);
  const isOld = row.compared_at === null || Date.now() - row.compared_at.getTime() > COMPARED_MS;
  const look = async (): Promise<WatchedSchema> => {
    if (row.state === 'ACTIVE' && isOld) await observeSchemaNow(deps, read);
    return read();
  };
  const current = await unlessAway(look());
  const { compared_at: at, drift } = current ?? row;
  return {
    comparedAt: at?.toISOString() ?? null,
    isStale: current === undefined,
    differences: drift?.differences ?? [],
    same: drift?.same ?? [],
  };
};
