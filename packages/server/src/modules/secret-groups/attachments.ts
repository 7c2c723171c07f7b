/** Attaching groups to a service, and detaching them. What changes is read by the service's next revision. */
import { secretDetachRule, type ServiceSecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { transaction, type Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { Problem } from '#kernel/problem.ts';
import { rowAt } from '#modules/resources/index.ts';
import { currentVersion, type GroupKey, type Viewer } from './groups.sql.ts';
import { recordSecret } from './record.ts';
import { hintGroup, requireGroup, type SecretDeps } from './secret-groups.ts';
import { attachments, needsRestart, type Place } from './usage.sql.ts';
import { versionHashes } from './versions.sql.ts';

const requireService = async (db: Db, place: Place, name: string) => {
  const row = await db
    .selectFrom('service')
    .select(['id', 'name', 'spec'])
    .where(({ and }) => and(rowAt(place, name)))
    .executeTakeFirst();
  if (!row) throw new Problem('ServiceDoesNotExist');
  return row;
};

export const serviceGroups = async (db: Db, place: Place, service: string): Promise<ServiceSecretGroup[]> => {
  const { id } = await requireService(db, place, service);
  const found = await attachments(db, place, { serviceId: id });
  return mapLimited(found, async (item): Promise<ServiceSecretGroup> => {
    const row = await db.selectFrom('secret_group').select(['name', 'kind']).where('id', '=', item.groupId).executeTakeFirstOrThrow();
    const version = await currentVersion(db, item.groupId);
    return {
      group: row.name,
      kind: row.kind,
      isAutoAttached: item.isAutoAttached,
      exposeAsEnvironment: item.exposeAsEnvironment,
      keys: [...(await versionHashes(db, item.groupId, version)).keys()],
      version,
      runsVersion: item.runsVersion,
      needsRestart: needsRestart(item, version),
      can: { update: true, detach: secretDetachRule(item) },
    };
  });
};

export const attachGroup = (deps: SecretDeps, viewer: Viewer, key: GroupKey, service: string, expose: boolean | undefined): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const { id: serviceId } = await requireService(trx, key, service);
    const group = await requireGroup(trx, key);
    // Neither goes while it is attached; one that has gone meanwhile is reported as gone.
    if (!(await trx.selectFrom('secret_group').select('id').where('id', '=', group.id).forShare().executeTakeFirst()))
      throw new Problem('SecretGroupDoesNotExist');
    if (!(await trx.selectFrom('service').select('id').where('id', '=', serviceId).forShare().executeTakeFirst()))
      throw new Problem('ServiceDoesNotExist');
    await trx
      .insertInto('service_secret_group')
      .values({ service_id: serviceId, group_id: group.id, expose_as_environment: expose ?? true })
      .onConflict((conflict) => {
        const attached = conflict.columns(['service_id', 'group_id']);
        return expose === undefined ? attached.doNothing() : attached.doUpdateSet({ expose_as_environment: expose });
      })
      .execute();
    await recordSecret(trx, viewer, key, {
      type: 'serviceSecretGroupAttach',
      reason: 'Attached',
      message: `${viewer.caller.displayName} attached ${key.group} to ${service}`,
      service,
      after: { exposeAsEnvironment: expose },
    });
    await hintGroup(trx, key);
  });

/** The settings must not name what goes: the next deploy would fail on it (specification §5). */
export const detachGroup = (deps: SecretDeps, viewer: Viewer, key: GroupKey, service: string): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const { id: serviceId } = await requireService(trx, key, service);
    const group = await requireGroup(trx, key);
    const [found] = await attachments(trx, key, { serviceId, groupId: group.id });
    if (!found) throw new Problem('SecretGroupNotAttached');
    const verdict = secretDetachRule(found);
    if (verdict !== true) throw new Problem(verdict);
    const { envVars, secretFileMounts } = found.spec.template;
    if (secretFileMounts.some((mount) => mount.secretGroup === key.group)) throw new Problem('SecretVolumeNotReferenced');
    if (envVars.some((item) => item.source === 'SECRET_KEY' && item.secretGroup === key.group)) throw new Problem('SecretKeyNotReferenced');
    await trx.deleteFrom('service_secret_group').where('service_id', '=', serviceId).where('group_id', '=', group.id).execute();
    await recordSecret(trx, viewer, key, {
      type: 'serviceSecretGroupDetach',
      reason: 'Detached',
      message: `${viewer.caller.displayName} detached ${key.group} from ${service}`,
      service,
    });
    await hintGroup(trx, key);
  });
