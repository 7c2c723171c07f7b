/** What an earlier revision pinned, looked at again: whether it is still there, and what of its settings was not the service's own. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { attachments, type Place } from './usage.sql.ts';

/**
 * A snapshot's settings without the variables that `pinSecrets` added for exposed keys: they would stay when the group is not exposed
 * any more. One that was written down by hand and says the same is left out, too: the program reads the same either way.
 */
export const plainSpec = async (db: Db, place: Place, serviceId: string, spec: ServiceSpec): Promise<ServiceSpec> => {
  const attached = await attachments(db, place, { serviceId });
  const exposing = new Set(attached.filter(({ exposeAsEnvironment }) => exposeAsEnvironment).map(({ group }) => group));
  const envVars = spec.template.envVars.filter(
    ({ name, source, secretGroup = '', secretKey }) => source !== 'SECRET_KEY' || name !== secretKey || !exposing.has(secretGroup),
  );
  return { ...spec, template: { ...spec.template, envVars } };
};

/** The first of the versions that is gone, or undefined. With a shared lock: in a transaction that pins them they stay. */
export const missingVersion = async (
  trx: Db,
  { app, environment }: Place,
  versions: Readonly<Record<string, number>>,
): Promise<{ group: string; version: number } | undefined> => {
  for (const [group, version] of Object.entries(versions)) {
    const row = await trx
      .selectFrom('secret_version')
      .innerJoin('secret_group', 'secret_group.id', 'secret_version.group_id')
      .select('secret_version.version')
      .where('secret_group.app_id', '=', app)
      .where('secret_group.environment', '=', environment)
      .where('secret_group.name', '=', group)
      .where('secret_version.version', '=', version)
      .forShare()
      .executeTakeFirst();
    if (!row) return { group, version };
  }
  return undefined;
};
