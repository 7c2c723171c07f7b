/** Queries the running state of a service for plans and pipelines. */
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

/** Returns the revision that receives traffic, even while it is scaled to zero. */
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

/** Returns the revision that an activation starts: the newest one that has not failed, preferring enabled revisions. */
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

/** Running revisions and edge settings of a service, the basis for computing the impact of a settings change. */
export interface ServiceState {
  /** Edge settings that were last applied. */
  readonly edge: EdgeSettings;
  readonly hasCredential: boolean;
  /** Scaled to zero. */
  readonly isResting: boolean;
  readonly serving: RunnableRevision | undefined;
  /** Revision that an activation would start. Its settings exclude additions from secrets. */
  readonly startable: RunnableRevision | undefined;
  readonly replaced: readonly { readonly id: string; readonly name: string; readonly replicas: number }[];
}

/** Five queries, for any number of secret groups. */
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
