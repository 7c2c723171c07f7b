/** Readers of an environment's secret groups: services by attachment, revisions by the versions that they pinned. */
import { sql, type RawBuilder } from 'kysely';
import { isEnvironmentName } from '@slipway/contract/secret/secret-entry.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { placeSql, type Place } from '#modules/resources/index.ts';

export type { Place };
/** A service and one group that it reads. */
export interface Attachment {
  readonly serviceId: string;
  readonly service: string;
  readonly groupId: string;
  readonly group: string;
  readonly exposeAsEnvironment: boolean;
  readonly isAutoAttached: boolean;
  readonly spec: ServiceSpec;
  readonly isServing: boolean;
  /** The version that the serving revision reads. */
  readonly runsVersion: number | null;
}

/**
 * Selects the services that read `secret_group`. A group with automatic attachment is attached to every service, even without a row for it.
 */
export const attachedSql = sql`select service.id as "serviceId", service.name as service, secret_group.id as "groupId", secret_group.name as "group",
    secret_group.auto_attach as "isAutoAttached", service.spec, coalesce(chosen.expose_as_environment, true) as "exposeAsEnvironment",
    service.active and cardinality(service.serving) > 0 as "isServing",
    (select (revision.secret_versions ->> secret_group.name)::integer from revision
      where revision.service_id = service.id and revision.name = service.serving[1]) as "runsVersion"
  from service left join service_secret_group chosen on chosen.service_id = service.id and chosen.group_id = secret_group.id
  where service.app_id = secret_group.app_id and service.environment = secret_group.environment
    and (secret_group.auto_attach or chosen.service_id is not null)`;

/** Returns attachments, sorted by service and group. */
export const attachments = async (db: Db, place: Place, only: { serviceId?: string; groupId?: string } = {}) => {
  const { rows } = await sql<Attachment>`
    select attached.* from secret_group cross join lateral (${attachedSql}) as attached
    where ${placeSql(place, 'secret_group')}
      and (${only.serviceId ?? null}::text is null or attached."serviceId" = ${only.serviceId ?? null})
      and (${only.groupId ?? null}::text is null or secret_group.id = ${only.groupId ?? null})
    order by attached.service, attached."group"`.execute(db);
  return rows;
};

/** Whether a service is attached to the group, or a revision that is not deleted reads one of its versions. */
export const isInUseSql = (app: RawBuilder<unknown>, environment: RawBuilder<unknown>, name: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(exists (select from secret_group cross join lateral (${attachedSql}) as attached
      where ${placeSql({ app, environment }, 'secret_group', name)})
    or exists (select from revision join service on service.id = revision.service_id
      where ${placeSql({ app, environment }, 'service')} and revision.status <> 'DELETED'
        and jsonb_exists(revision.secret_versions, ${name})))`;

/** Whether a service that reads the group reads this key of it. */
export const readsKey = ({ exposeAsEnvironment, spec }: Attachment, group: string, key: string): boolean =>
  (exposeAsEnvironment && isEnvironmentName(key)) ||
  spec.template.envVars.some((item) => item.source === 'SECRET_KEY' && item.secretGroup === group && item.secretKey === key) ||
  spec.template.secretFileMounts.some((mount) => mount.secretGroup === group && (mount.includeAllKeys || mount.secretKey === key));

export const needsRestart = ({ isServing, runsVersion }: Attachment, current: number): boolean => isServing && runsVersion !== current;

/** Returns group name → version → names of the revisions that pinned the version and are not deleted. */
export const pinnedVersions = async (db: Db, place: Place): Promise<Map<string, Map<number, string[]>>> => {
  const { rows } = await sql<{ group: string; version: number; revisions: string[] }>`
    select pinned.key as group, pinned.value::integer as version, array_agg(revision.name order by revision.created_at desc) as revisions
    from revision join service on service.id = revision.service_id, jsonb_each_text(revision.secret_versions) as pinned
    where ${placeSql(place, 'service')} and revision.status <> 'DELETED'
    group by 1, 2`.execute(db);
  const found = new Map<string, Map<number, string[]>>();
  for (const { group, version, revisions } of rows) found.set(group, (found.get(group) ?? new Map()).set(version, revisions));
  return found;
};
