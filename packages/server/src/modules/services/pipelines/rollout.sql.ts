/** Rows that a rollout writes (desired state) and reads (observed state). */
import { sql } from 'kysely';
import type { InstanceEvent, Revision, RevisionStatus } from '@slipway/contract/service/revision.ts';
import type { EdgeSettings, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { missingVersion, pinSecrets } from '#modules/secret-groups/index.ts';
import type { ServiceKey, ServiceRef } from '../services.sql.ts';

export interface NewRevision {
  /** Derived from the run's id, so that a repeated step finds its revision. */
  readonly id: string;
  readonly imageTag: string;
  readonly imageRepository: string;
  readonly imageDigest: string;
  readonly spec: ServiceSpec;
  readonly reason: Revision['reason'];
  readonly pipelineId: string;
  readonly createdBy: { readonly id: string; readonly displayName: string };
  /** For rollbacks: the secret versions that the earlier revision read. Otherwise the newest versions are pinned. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
}
export interface RevisionFacts {
  readonly id: string;
  readonly name: string;
  readonly number: number;
  /** Secret group → pinned version. */
  readonly secretVersions: Readonly<Record<string, number>>;
}

export const hint = (db: Db, key: ServiceKey, revision?: string): Promise<void> =>
  notifyChange(db, {
    kind: revision ? 'revision' : 'service',
    app: key.app,
    env: key.environment,
    service: key.service,
    ...(revision ? { revision } : {}),
  });

/** Inserts a revision without instances and pins its secret versions. Locks the service's row, so that numbers are unique. */
export const insertRevision = (db: Db, key: ServiceRef, wanted: NewRevision): Promise<RevisionFacts> =>
  db.transaction().execute(async (trx) => {
    const service = await trx.selectFrom('service').select('id').where('id', '=', key.id).forUpdate().executeTakeFirst();
    if (!service) throw new StepFailure('Discarded');
    const known = await trx
      .selectFrom('revision')
      .select(['id', 'name', 'number', 'secret_versions'])
      .where('id', '=', wanted.id)
      .executeTakeFirst();
    if (known) return { ...known, secretVersions: known.secret_versions };
    const { last } = await trx
      .selectFrom('revision')
      .select((at) => at.fn.max('number').as('last'))
      .where('service_id', '=', service.id)
      .executeTakeFirstOrThrow();
    const pinned = wanted.versions
      ? await pinAgain(trx, key, wanted.spec, wanted.versions)
      : await pinSecrets(trx, key, { id: service.id, spec: wanted.spec });
    // Omits the names: every signed-in user can read why a step failed.
    if ('dangling' in pinned) throw new StepFailure(pinned.dangling);
    const number = (last ?? 0) + 1;
    const name = `${key.service}-${number}`;
    await trx
      .insertInto('revision')
      .values({
        id: wanted.id,
        service_id: service.id,
        number,
        name,
        image_tag: wanted.imageTag,
        image_repository: wanted.imageRepository,
        image_digest: wanted.imageDigest,
        spec: JSON.stringify(pinned.spec),
        secret_versions: JSON.stringify(pinned.versions),
        reason: JSON.stringify(wanted.reason),
        pipeline_id: wanted.pipelineId,
        replicas_wanted: 0,
        created_by: wanted.createdBy.id,
        created_by_name: wanted.createdBy.displayName,
      })
      .execute();
    await hint(trx, key, name);
    return { id: wanted.id, name, number, secretVersions: pinned.versions };
  });

const pinAgain = async (trx: Db, key: ServiceKey, spec: ServiceSpec, versions: Readonly<Record<string, number>>) => {
  const missing = await missingVersion(trx, key, versions);
  if (missing) throw new StepFailure('RollbackSecretGone', { version: String(missing.version) });
  return { spec, versions };
};

export interface Wanted {
  readonly replicas?: number;
  readonly enabled?: boolean;
  readonly isFailed?: boolean;
  readonly isDeleting?: boolean;
}
/**
 * Resets the status, because an earlier observation does not apply to the new desired state, even with the same number of instances: a
 * runtime holder may have written it before dying with all its instances. The reconciler's next pass writes the actual status.
 */
const unseen = sql<RevisionStatus>`case when status = 'DELETED' then status else 'PENDING' end`;

/** Writes a revision's desired state, which the reconciler applies. */
export const wantRevision = async (db: Db, key: ServiceKey, id: string, wanted: Wanted): Promise<void> => {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('revision')
      .set({
        ...(wanted.replicas === undefined ? {} : { replicas_wanted: wanted.replicas, status: unseen }),
        ...(wanted.enabled === undefined ? {} : { enabled: wanted.enabled }),
        ...(wanted.isFailed === undefined ? {} : { failed_at: wanted.isFailed ? new Date() : null }),
        ...(wanted.isDeleting === undefined ? {} : { deleting_at: wanted.isDeleting ? sql<Date>`coalesce(deleting_at, now())` : null }),
      })
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst();
    if (row) await hint(trx, key, row.name);
  });
};

export interface Observed {
  readonly id: string;
  readonly name: string;
  readonly status: RevisionStatus;
  readonly wanted: number;
  readonly ready: number;
  readonly instances: readonly {
    id: string;
    state: string;
    restarts: number;
    lastExit: { code: number | null; signal: string | null; reason: string } | null;
  }[];
  /** `seconds`: age of the event since it was first seen. `spanSeconds`: time between first and last occurrence. */
  readonly diagnosis:
    | (Pick<InstanceEvent, 'reason' | 'context' | 'message' | 'count' | 'instance'> & Record<'seconds' | 'spanSeconds', number>)
    | null;
}

/**
 * Returns a revision as the reconciler last saw it, with the most informative event since `since`: a wrong port says more than refused
 * connections. A later answer proves that the port is right now.
 */
export const observeRevision = async (db: Db, id: string, since: Date): Promise<Observed | undefined> => {
  const { rows } = await sql<Observed>`
    select revision.id, revision.name, revision.status, revision.replicas_wanted as wanted, revision.replicas_ready as ready,
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'state', state, 'restarts', restarts, 'lastExit', last_exit) order by id)
        from instance where revision_id = revision.id), '[]') as instances,
      (select jsonb_build_object('reason', reason, 'context', context, 'message', message, 'count', count, 'instance', instance,
          'seconds', extract(epoch from now() - greatest(at, ${since})),
          'spanSeconds', extract(epoch from last_at - greatest(at, ${since}))) from instance_event as event
        where revision_id = revision.id and type in ('error', 'warning', 'unhealthy') and last_at >= ${since}
        order by reason in ('WrongPort', 'IgnoresPort') and not exists (select 1 from instance_event as answer
          where answer.revision_id = revision.id and answer.context->>'probe' in ('Status', 'NoAnswer') and answer.last_at > event.last_at) desc,
          last_at desc, id desc limit 1) as diagnosis
    from revision where revision.id = ${id}`.execute(db);
  return rows[0];
};

/** Returns the service's other revisions that run or serve, which a rollout replaces. */
export const olderRevisions = async (db: Db, serviceId: string, except = ''): Promise<{ id: string; name: string; replicas: number }[]> => {
  const rows = await db
    .selectFrom('revision')
    .innerJoin('service', 'service.id', 'revision.service_id')
    .select(['revision.id', 'revision.name', 'revision.replicas_wanted'])
    .where('service.id', '=', serviceId)
    .where('revision.id', '!=', except)
    .where('revision.status', '!=', 'DELETED')
    .where('revision.deleting_at', 'is', null)
    .where((at) => at.or([at('revision.replicas_wanted', '>', 0), sql<boolean>`revision.name = any (service.serving)`]))
    .orderBy('revision.number')
    .execute();
  return rows.map((row) => ({ id: row.id, name: row.name, replicas: row.replicas_wanted }));
};

/** Returns revisions that run, should run, or have not been observed as stopped. */
export const liveRevisions = (db: Db, serviceId: string): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('revision')
    .select(['id', 'name'])
    .where('service_id', '=', serviceId)
    .where('status', '!=', 'DELETED')
    .where((at) => at.or([at('replicas_wanted', '>', 0), at('status', '!=', 'NO_INSTANCES')]))
    .orderBy('number')
    .execute();

/** Returns the revisions that the edge routes to, as reported by the reconciler. Undefined if the service was deleted. */
export const routedOf = async (db: Db, serviceId: string): Promise<readonly string[] | undefined> =>
  (await db.selectFrom('service').select('routed').where('id', '=', serviceId).executeTakeFirst())?.routed;

/** Returns when the runtime's holder was last seen, and its readiness. Undefined if there is no holder. */
export const runtimeSeen = async (db: Db): Promise<{ seconds: number; serving: string | null } | undefined> => {
  const { rows } = await sql<{ seconds: number; serving: string | null }>`
    select extract(epoch from now() - seen_at)::float8 as seconds, serving from runtime_holder order by seen_at desc limit 1`.execute(db);
  return rows[0];
};

export const revisionSpec = async (db: Db, id: string): Promise<ServiceSpec> => {
  const row = await db.selectFrom('revision').select('spec').where('id', '=', id).executeTakeFirstOrThrow();
  return row.spec;
};

/** Sets `active`. An inactive service runs nothing and has no routes, whatever its revisions want. */
export const setActive = async (db: Db, service: ServiceRef, active: boolean): Promise<void> => {
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('service').set({ active }).where('id', '=', service.id).execute();
    await hint(trx, service);
  });
};

/** State that changes together with the traffic: the edge settings, and whether the service is scaled to zero. */
export interface WithTraffic {
  readonly edge?: EdgeSettings | null | undefined;
  readonly scaledDownAt?: string | null | undefined;
}
export const setServing = async (db: Db, service: ServiceRef, serving: readonly string[], also: WithTraffic = {}): Promise<void> => {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('service')
      .set({
        serving: [...serving],
        ...(also.edge === undefined ? {} : { edge: also.edge && JSON.stringify(also.edge) }),
        // The reconciler reports its routes again after the edge has the new settings, see `applyEdge`.
        ...(also.edge === undefined || serving.length === 0 ? {} : { routed: sql<string[]>`'{}'` }),
        ...(also.scaledDownAt === undefined ? {} : { scaled_down_at: also.scaledDownAt }),
      })
      .where('id', '=', service.id)
      .execute();
    await hint(trx, service);
  });
};
