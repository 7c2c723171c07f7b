/** Secrets of a copy: groups are attached by name if the other environment has them. Their values are never copied. */
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { basicAuthGroupOf } from '@slipway/contract/service/service-access.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { note } from '#modules/pipelines/index.ts';
import { environmentGroups, serviceGroups, type GroupToAttach } from '#modules/secret-groups/index.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';

export interface CopiedSecrets {
  /** Groups that the source reads and the target does not read yet. */
  readonly groups: readonly GroupToAttach[];
  /** Group → keys of everything the target reads after the copy, for validation. */
  readonly readable: ReadonlyMap<string, readonly string[]>;
  /** Groups and keys that the target's environment lacks. */
  readonly warnings: readonly PlanNote[];
}

const references = ({ template }: ServiceSpec): { group: string; key: string | null }[] => [
  ...template.envVars.flatMap(({ source, secretGroup = '', secretKey = '' }) =>
    source === 'SECRET_KEY' ? [{ group: secretGroup, key: secretKey }] : [],
  ),
  ...template.secretFileMounts.map(({ secretGroup, includeAllKeys, secretKey }) => ({
    group: secretGroup,
    key: includeAllKeys ? null : secretKey,
  })),
];

export const copiedSecrets = async (db: Db, source: ServiceKey, target: ServiceKey, spec: ServiceSpec): Promise<CopiedSecrets> => {
  const there = new Map((await environmentGroups(db, target)).map((group) => [group.name, group]));
  const reads = (await serviceRow(db, target)) ? await serviceGroups(db, target, target.service) : [];
  // A service's generated password belongs to that service only. Groups of databases and accounts are found by name, like others.
  const own = basicAuthGroupOf(source.service);
  const wanted = (await serviceGroups(db, source, source.service)).filter(({ group }) => group !== own);
  const groups = wanted.flatMap(({ group, exposeAsEnvironment }): GroupToAttach[] => {
    const found = there.get(group);
    const isNew = found && !found.isAutoAttached && !reads.some((known) => known.group === group);
    return isNew ? [{ id: found.id, name: group, exposeAsEnvironment }] : [];
  });
  const auto = [...there.values()].filter(({ isAutoAttached }) => isAutoAttached).map(({ name }) => name);
  const names = [...reads.map(({ group }) => group), ...auto, ...groups.map(({ name }) => name)];
  const readable = new Map(names.map((name) => [name, there.get(name)?.keys ?? []]));
  const { environment } = target;
  const found = references(spec);
  const missing = [...new Set([...wanted.map(({ group }) => group), ...found.map(({ group }) => group)])].filter(
    (name) => !there.has(name),
  );
  const lacking = found.filter(({ group, key }) => key !== null && there.has(group) && !there.get(group)?.keys.includes(key));
  return {
    groups,
    readable,
    warnings: [
      ...missing.map((group) => note('SecretGroupMissing', { group, environment })),
      ...lacking.map(({ group, key }) => note('SecretKeyMissing', { group, key: key ?? '', environment })),
    ],
  };
};
