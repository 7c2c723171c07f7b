/** Writes the runtime's reports into rows: instances, events, the revisions' status, the edge's metrics. */
import { sql } from 'kysely';
import { instanceEvent } from '@slipway/contract/service/instance-event.ts';
import type { RevisionStatus } from '@slipway/contract/service/revision.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { EdgeStats, InstanceEvent, InstanceStats, InstanceView } from '#ports/runtime.ts';
import type { WantedRevision } from './wanted.sql.ts';

export interface ObservedRevision {
  readonly status: RevisionStatus;
  readonly ready: number;
  readonly instances: readonly InstanceView[];
}

/** Number of restarts from which a crashed instance makes its revision FAILING. */
const failingRestarts = 2;

export const statusOf = (wanted: number, instances: readonly InstanceView[]): RevisionStatus => {
  if (wanted === 0) return instances.length > 0 ? 'PENDING' : 'NO_INSTANCES';
  if (instances.filter(({ state }) => state === 'READY').length >= wanted) return 'HEALTHY';
  const isFailing = instances.some(({ state, restarts }) => state === 'UNHEALTHY' || (state === 'CRASHED' && restarts >= failingRestarts));
  return isFailing ? 'FAILING' : 'PENDING';
};

const writeInstances = async (db: Db, revisionId: string, instances: readonly InstanceView[]): Promise<void> => {
  const ids = instances.map(({ id }) => id);
  await sql`delete from instance where revision_id = ${revisionId} and not (id = any (${ids}))`.execute(db);
  for (const view of instances) {
    const values = {
      revision_id: revisionId,
      state: view.state,
      since: view.since,
      restarts: view.restarts,
      node: view.node,
      port: view.port ?? null,
      last_exit: view.lastExit ? JSON.stringify(view.lastExit) : null,
      updated_at: new Date(),
    };
    await db
      .insertInto('instance')
      .values({ id: view.id, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute();
  }
};

export const observedOf = ({ spec, isDeleting }: WantedRevision, instances: readonly InstanceView[]): ObservedRevision => {
  const isGone = isDeleting && instances.length === 0;
  return {
    status: isGone ? 'DELETED' : statusOf(spec.replicas, instances),
    ready: instances.filter(({ state }) => state === 'READY').length,
    instances,
  };
};

/**
 * Writes one revision's instances and status, and notifies the browsers. Leaves the status unchanged if the wanted state has changed since
 * `wanted` was read, because the status describes the earlier state.
 */
export const writeObserved = async (db: Db, wanted: WantedRevision, { status, ready, instances }: ObservedRevision): Promise<void> => {
  const { spec } = wanted;
  await db.transaction().execute(async (trx) => {
    await writeInstances(trx, wanted.id, instances);
    await trx
      .updateTable('revision')
      .set({ status, replicas_ready: ready, ...(status === 'DELETED' ? { deleted_at: new Date() } : {}) })
      .where('id', '=', wanted.id)
      .where('replicas_wanted', '=', wanted.replicasWanted)
      .execute();
    await notifyChange(trx, { kind: 'revision', app: spec.app, env: spec.environment, service: spec.service, revision: spec.revision });
  });
};

/** Sets the status of a revision that cannot be read to UNKNOWN. The next pass that can read the revision writes the observed status. */
export const markUnknown = async (db: Db, revisionId: string): Promise<void> => {
  await db.updateTable('revision').set({ status: 'UNKNOWN' }).where('id', '=', revisionId).where('status', '!=', 'DELETED').execute();
};

/** Event columns that tell one failed health check from another: an answer of 404 does not count as a refused connection. */
const sameProbe = (context: InstanceEvent['context']) =>
  sql<boolean>`(context->>'probe', context->>'status') is not distinct from (${context['probe'] ?? null}::text, ${context['status']?.toString() ?? null}::text)`;

/**
 * Writes an event. If the same event occurred within the last hour, raises the count of its row: by one, or by the number of tries that the
 * event represents.
 */
export const writeEvent = async (
  db: Db,
  revisionId: string,
  event: Pick<InstanceEvent, 'instance' | 'at' | 'type' | 'code' | 'context'>,
): Promise<void> => {
  const context = JSON.stringify(event.context);
  const times = Number(event.context['times'] ?? 1);
  const firstAt = new Date(event.at.getTime() - Number(event.context['spanMs'] ?? 0));
  const again = await db
    .updateTable('instance_event')
    .set({ last_at: event.at, count: sql`count + ${times}`, context })
    .where('id', '=', (at) =>
      at
        .selectFrom('instance_event')
        .select('id')
        .where('revision_id', '=', revisionId)
        .where('instance', '=', event.instance)
        .where('reason', '=', event.code)
        .where('type', '=', event.type)
        .where(sameProbe(event.context))
        .where('last_at', '>', new Date(event.at.getTime() - 3_600_000))
        .orderBy('id', 'desc')
        .limit(1),
    )
    .executeTakeFirst();
  if (again.numUpdatedRows > 0n) return;
  // A runtime that was taken over may report a revision whose row is gone.
  await sql`insert into instance_event (revision_id, instance, type, reason, context, count, at, last_at)
    select id, ${event.instance}, ${event.type}, ${event.code}, ${context}::jsonb, ${times}, ${firstAt}::timestamptz, ${event.at}::timestamptz
    from revision where id = ${revisionId}`.execute(db);
};

/**
 * Writes a Resynced event for every revision that ran. From this event on, its instances are new, or were driven by no replica for a while.
 */
export const writeBookmarks = async (db: Db, replica: string, isTakenOver: boolean): Promise<void> => {
  const { code, context } = instanceEvent('Resynced', { replica, instances: isTakenOver ? 'kept' : 'started' });
  await sql`insert into instance_event (revision_id, instance, type, reason, context, at, last_at)
    select id, name, 'bookmarked', ${code}, ${JSON.stringify(context)}::jsonb, now(), now() from revision
    where exists (select 1 from instance where instance.revision_id = revision.id)`.execute(db);
};

export const writeStats = async (db: Db, stats: readonly InstanceStats[]): Promise<void> => {
  if (stats.length === 0) return;
  const ids = stats.map(({ id }) => id);
  const cpu = stats.map(({ cpuMillicores }) => cpuMillicores);
  const memory = stats.map(({ memoryMegabytes }) => memoryMegabytes);
  await sql`update instance set cpu_millicores = seen.cpu, memory_megabytes = seen.memory
    from unnest(${ids}::text[], ${cpu}::float8[], ${memory}::float8[]) as seen (id, cpu, memory) where instance.id = seen.id`.execute(db);
};

/**
 * Writes all services in one statement, and skips services without requests. Writes steady metrics once a minute, because the time of the
 * last request decides when idle services stop.
 */
export const writeEdgeStats = async (db: Db, stats: readonly EdgeStats[]): Promise<void> => {
  if (stats.length === 0) return;
  const rows = stats.map(({ app, environment, service, requests, errors5xx, p95Ms, lastRequestAt }) => ({
    app,
    environment,
    service,
    requests,
    errors: errors5xx,
    p95: p95Ms,
    at: lastRequestAt?.toISOString() ?? null,
  }));
  await sql`insert into edge_stat (service_id, requests, errors, p95_ms, last_request_at)
    select service.id, seen.requests, seen.errors, seen.p95, seen.at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as seen (app text, environment text, service text, requests integer, errors integer, p95 float8, at timestamptz)
    join service on service.app_id = seen.app and service.environment = seen.environment and service.name = seen.service
    on conflict (service_id) do update set requests = excluded.requests, errors = excluded.errors, p95_ms = excluded.p95_ms,
      last_request_at = coalesce(excluded.last_request_at, edge_stat.last_request_at), updated_at = now()
    where (edge_stat.requests, edge_stat.errors, edge_stat.p95_ms) is distinct from (excluded.requests, excluded.errors, excluded.p95_ms)
      or excluded.last_request_at > coalesce(edge_stat.last_request_at, '-infinity') + interval '1 minute'`.execute(db);
};
