/** What runs of a service at the moment, as far as plans and pipelines go by it. */
import type { EdgeSettings, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { plainSpec } from '#modules/secret-groups/index.ts';
import { olderRevisions } from '../pipelines/rollout.sql.ts';
import type { ServiceKey } from '../services.sql.ts';
import { appliedEdge, hasEdgeCredential, type SettingsRow } from './settings.sql.ts';

export interface RunnableRevision {
  readonly id: string;
  readonly name: string;
  readonly imageTag: string;
  readonly imageRepository: string;
  readonly imageDigest: string;
  readonly spec: ServiceSpec;
  readonly secretVersions: Readonly<Record<string, number>>;
  readonly replicas: number;
}

const selectRevisions = (db: Db, serviceId: string) =>
  db
    .selectFrom('revision')
    .select(['id', 'name', 'image_tag', 'image_repository', 'image_digest', 'spec', 'secret_versions', 'replicas_wanted'])
    .where('service_id', '=', serviceId);
type Row = Awaited<ReturnType<ReturnType<typeof selectRevisions>['executeTakeFirstOrThrow']>>;

const revisionOf = (row: Row): RunnableRevision => ({
  id: row.id,
  name: row.name,
  imageTag: row.image_tag,
  imageRepository: row.image_repository,
  imageDigest: row.image_digest,
  spec: row.spec,
  secretVersions: row.secret_versions,
  replicas: row.replicas_wanted,
});

export const revisionById = async (db: Db, serviceId: string, id: string): Promise<RunnableRevision | undefined> => {
  const row = await selectRevisions(db, serviceId).where('id', '=', id).executeTakeFirst();
  return row && revisionOf(row);
};

/** What traffic goes to, also while it rests for want of requests. */
export const servingRevision = async (
  db: Db,
  service: { readonly id: string; readonly serving: readonly string[] },
): Promise<RunnableRevision | undefined> => {
  const row = await selectRevisions(db, service.id)
    .where('name', 'in', [...service.serving, ''])
    .where('status', '!=', 'DELETED')
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return row && revisionOf(row);
};

/** What an activation starts again: the newest revision that was not given up, and of those one that is not disabled. */
export const startableRevision = async (db: Db, serviceId: string): Promise<RunnableRevision | undefined> => {
  const row = await selectRevisions(db, serviceId)
    .where('status', '!=', 'DELETED')
    .where('deleting_at', 'is', null)
    .where('failed_at', 'is', null)
    .orderBy('enabled', 'desc')
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return row && revisionOf(row);
};

/** What runs of a service, and what the edge has: what a change of settings is measured against. */
export interface ServiceState {
  /** What the edge got last. */
  readonly edge: EdgeSettings;
  readonly hasCredential: boolean;
  /** Rests for want of requests. */
  readonly isResting: boolean;
  readonly serving: RunnableRevision | undefined;
  /** What an activation would start, its settings without what its secrets added. */
  readonly startable: RunnableRevision | undefined;
  readonly replaced: readonly { readonly id: string; readonly name: string; readonly replicas: number }[];
}

/** Five queries, however many secret groups there are. */
export const serviceState = async (db: Db, key: ServiceKey, row: SettingsRow): Promise<ServiceState> => {
  const startable = await startableRevision(db, row.id);
  return {
    edge: appliedEdge(row),
    hasCredential: await hasEdgeCredential(db, row.id),
    isResting: row.scaled_down_at !== null,
    serving: await servingRevision(db, row),
    startable: startable && { ...startable, spec: await plainSpec(db, key, row.id, startable.spec) },
    replaced: await olderRevisions(db, row.id),
  };
};
