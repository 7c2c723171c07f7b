/**
 * Secrets of a revision. Creating the revision pins them as group → version, and adds one variable to its settings for each exposed key.
 * Starting its instances opens them. A new version therefore reaches a service only with its next revision.
 */
import type { EnvVar, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { isEnvironmentName } from '@slipway/contract/secret/secret-entry.ts';
import type * as z from 'zod/mini';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { rowAt } from '#modules/resources/index.ts';
import { isMountFormat, mountFiles } from './mount-files.ts';
import type { SecretValues } from './seal.ts';
import { sealPlace } from './secret-groups.ts';
import { attachments, type Attachment, type Place } from './usage.sql.ts';
import type { Vault } from './vault.ts';
import { sealedVersion, versionHashes } from './versions.sql.ts';

export interface Pinned {
  readonly spec: ServiceSpec;
  readonly versions: Record<string, number>;
}
/**
 * Settings that refer to a secret that the service does not read, or to an unknown file format. The codes are from the specification (§5).
 */
export interface Dangling {
  readonly dangling: 'SecretVolumeNotReferenced' | 'SecretKeyNotReferenced' | 'SecretFileFormatUnknown';
  /** Names the dangling reference, for the team. */
  readonly reported: string;
}
interface ReadGroup {
  readonly name: string;
  readonly version: number;
  readonly keys: readonly string[];
  readonly attachment: Attachment;
}

/** Takes shared locks, so that nobody deletes the groups before the revision that pins them exists. */
const readGroups = async (trx: Db, place: Place, serviceId: string): Promise<Map<string, ReadGroup>> => {
  const found = new Map<string, ReadGroup>();
  for (const attachment of await attachments(trx, place, { serviceId })) {
    const row = await trx.selectFrom('secret_group').select('name').where('id', '=', attachment.groupId).forShare().executeTakeFirst();
    const newest = await trx
      .selectFrom('secret_version')
      .select((at) => at.fn.max('version').as('version'))
      .where('group_id', '=', attachment.groupId)
      .executeTakeFirst();
    if (!row || !newest?.version) continue;
    const keys = [...(await versionHashes(trx, attachment.groupId, newest.version)).keys()];
    found.set(row.name, { name: row.name, version: newest.version, keys, attachment });
  }
  return found;
};

const danglingOf = ({ envVars, secretFileMounts }: ServiceSpec['template'], groups: Map<string, ReadGroup>): Dangling | undefined => {
  for (const mount of secretFileMounts) {
    const group = groups.get(mount.secretGroup);
    if (!group || (!mount.includeAllKeys && !group.keys.includes(mount.secretKey ?? '')))
      return { dangling: 'SecretVolumeNotReferenced', reported: `${mount.mountPath} needs ${mount.secretGroup} ${mount.secretKey ?? ''}` };
    if (!isMountFormat(mount.fileFormat))
      return { dangling: 'SecretFileFormatUnknown', reported: `${mount.mountPath} is to be written as ${mount.fileFormat}` };
  }
  for (const { name, source, secretGroup = '', secretKey = '' } of envVars)
    if (source === 'SECRET_KEY' && !groups.get(secretGroup)?.keys.includes(secretKey))
      return { dangling: 'SecretKeyNotReferenced', reported: `${name} needs ${secretKey} of ${secretGroup}` };
  return undefined;
};

/**
 * Adds a variable for each exposed key. A variable in the settings overrides an exposed key. If two groups expose a key, the later group
 * name wins.
 */
const withExposed = (spec: ServiceSpec, groups: Map<string, ReadGroup>): ServiceSpec => {
  const exposed = new Map<string, z.infer<typeof EnvVar>>();
  for (const { name, keys, attachment } of groups.values())
    for (const key of keys)
      if (attachment.exposeAsEnvironment && isEnvironmentName(key))
        exposed.set(key, { name: key, source: 'SECRET_KEY', secretGroup: name, secretKey: key });
  for (const item of spec.template.envVars) exposed.delete(item.name);
  return { ...spec, template: { ...spec.template, envVars: [...spec.template.envVars, ...exposed.values()] } };
};

/**
 * Pins the newest versions, or returns the first dangling reference. Runs in the transaction that creates the revision, and before it to
 * check the settings.
 */
export const pinSecrets = async (trx: Db, place: Place, service: { id: string; spec: ServiceSpec }): Promise<Pinned | Dangling> => {
  const groups = await readGroups(trx, place, service.id);
  const dangling = danglingOf(service.spec.template, groups);
  if (dangling) return dangling;
  const versions = Object.fromEntries([...groups.values()].map(({ name, version }) => [name, version]));
  return { spec: withExposed(service.spec, groups), versions };
};

export interface RevisionToResolve extends Place {
  readonly spec: ServiceSpec;
  readonly versions: Readonly<Record<string, number>>;
}
export interface ResolvedSecrets {
  readonly env: Record<string, string>;
  readonly files: { mountPath: string; files: Record<string, string> }[];
  /** Every value that the process can read, to be kept out of texts about the process. */
  readonly values: readonly string[];
}

/**
 * Opens the secrets that a revision pinned. Throws SecretUnreadable, also if a version no longer exists: a revision never starts with fewer
 * secrets than it pinned.
 */
export const resolveSecrets = async (
  { db, vault }: { db: Db; vault: Vault },
  { app, environment, spec, versions }: RevisionToResolve,
): Promise<ResolvedSecrets> => {
  const opened = new Map<string, SecretValues>();
  const valuesOf = async (group: string): Promise<SecretValues> => {
    const known = opened.get(group);
    if (known) return known;
    const version = versions[group] ?? 0;
    const key = { app, environment, group };
    const row = await db
      .selectFrom('secret_group')
      .select('id')
      .where(({ and }) => and(rowAt(key, group)))
      .executeTakeFirst();
    const sealed = row && (await sealedVersion(db, row.id, version));
    if (!sealed) throw new Problem('SecretUnreadable', { cause: new Error(`There is no version ${version} of ${group}`) });
    const values = await vault.open(sealPlace(key, version), sealed);
    opened.set(group, values);
    return values;
  };
  const env: Record<string, string> = {};
  for (const { name, source, secretGroup = '', secretKey = '' } of spec.template.envVars) {
    if (source !== 'SECRET_KEY') continue;
    const value = (await valuesOf(secretGroup)).get(secretKey);
    if (value === undefined) throw new Problem('SecretUnreadable', { cause: new Error(`There is no key ${secretKey} in ${secretGroup}`) });
    env[name] = value;
  }
  const files: ResolvedSecrets['files'] = [];
  for (const mount of spec.template.secretFileMounts)
    files.push({ mountPath: mount.mountPath, files: mountFiles(mount, await valuesOf(mount.secretGroup)) });
  return { env, files, values: [...opened.values()].flatMap((values) => [...values.values()]) };
};
