/** Checks an earlier revision's pins: whether the versions still exist, and which settings are the service's own. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { placeSql } from '#modules/resources/index.ts';
import { attachments, type Place } from './usage.sql.ts';

/**
 * Returns a snapshot's settings without the variables that `pinSecrets` added for exposed keys. These variables would otherwise remain
 * after the group is no longer exposed. Also removes an equal variable that a user wrote, because the program reads the same value either
 * way.
 */
export const plainSpec = async (db: Db, place: Place, serviceId: string, spec: ServiceSpec): Promise<ServiceSpec> => {
  const attached = await attachments(db, place, { serviceId });
  const exposing = new Set(attached.filter(({ exposeAsEnvironment }) => exposeAsEnvironment).map(({ group }) => group));
  const envVars = spec.template.envVars.filter(
    ({ name, source, secretGroup = '', secretKey }) => source !== 'SECRET_KEY' || name !== secretKey || !exposing.has(secretGroup),
  );
  return { ...spec, template: { ...spec.template, envVars } };
};

/**
 * Returns the first version that no longer exists, or undefined. Takes shared locks, so that the versions stay in a transaction that pins
 * them.
 */
export const missingVersion = async (
  trx: Db,
  place: Place,
  versions: Readonly<Record<string, number>>,
): Promise<{ group: string; version: number } | undefined> => {
  for (const [group, version] of Object.entries(versions)) {
    const row = await trx
      .selectFrom('secret_version')
      .innerJoin('secret_group', 'secret_group.id', 'secret_version.group_id')
      .select('secret_version.version')
      .where(placeSql(place, 'secret_group', group))
      .where('secret_version.version', '=', version)
      .forShare()
      .executeTakeFirst();
    if (!row) return { group, version };
  }
  return undefined;
};
