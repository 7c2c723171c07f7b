/** What differs between a service and the one it is copied to, section by section, and what of it is carried. */
import type { SecretGroup } from '@slipway/contract/secret-group.ts';
import type { ServiceChange } from '@slipway/contract/service-changes.ts';
import { settingsSections, type ServiceSettings, type SettingsSection } from '@slipway/contract/service-settings.ts';

export interface SectionChanges {
  section: SettingsSection;
  title: string;
  changes: ServiceChange[];
}

/** In the order of the settings screen; sections that are the same are left out. */
export const bySection = (changes: readonly ServiceChange[]): SectionChanges[] =>
  (Object.keys(settingsSections) as SettingsSection[])
    .map((section) => ({ section, title: settingsSections[section], changes: changes.filter((change) => change.section === section) }))
    .filter((group) => group.changes.length > 0);

/** Paths that are not carried, with those of `paths` put in or taken out. */
export const leaveOut = (left: ReadonlySet<string>, paths: readonly string[], isCarried: boolean): ReadonlySet<string> => {
  const next = new Set(left);
  for (const path of paths) {
    if (isCarried) next.delete(path);
    else next.add(path);
  }
  return next;
};

/** As the API takes it: everything, or the paths. */
export const carryOf = (changes: readonly Pick<ServiceChange, 'path'>[], left: ReadonlySet<string>): 'all' | string[] => {
  const carried = changes.filter(({ path }) => !left.has(path)).map(({ path }) => path);
  return carried.length === changes.length ? 'all' : carried;
};

export interface MissingSecret {
  group: string;
  /** Undefined where the whole group is missing. */
  key: string | undefined;
}

interface SecretReference {
  secretGroup?: string;
  secretKey?: string | null;
  includeAllKeys?: boolean;
}

/** What a carried value reads of the target's secrets and does not find there; undefined while they are not read. */
export const missingSecret = (
  { after }: Pick<ServiceChange, 'after'>,
  groups: readonly Pick<SecretGroup, 'name' | 'keys'>[] | undefined,
): MissingSecret | undefined => {
  if (groups === undefined || typeof after !== 'object' || after === null || !('secretGroup' in after)) return undefined;
  const { secretGroup = '', secretKey, includeAllKeys } = after as SecretReference;
  if (secretGroup === '') return undefined;
  const found = groups.find(({ name }) => name === secretGroup);
  if (!found) return { group: secretGroup, key: undefined };
  if (includeAllKeys || !secretKey || found.keys.some(({ key }) => key === secretKey)) return undefined;
  return { group: secretGroup, key: secretKey };
};

const listed: readonly (readonly [pattern: RegExp, items: (settings: ServiceSettings) => readonly string[]])[] = [
  [/^spec\.template\.envVars\.(\d+)(?:\.|$)/, ({ spec }) => spec.template.envVars.map(({ name }) => `spec.template.envVars.${name}`)],
  [
    /^spec\.template\.secretFileMounts\.(\d+)(?:\.|$)/,
    ({ spec }) => spec.template.secretFileMounts.map(({ mountPath }) => `spec.template.secretFileMounts.${mountPath}`),
  ],
];
/** The server counts variables and mounts, the comparison names them: `spec.template.envVars.3.secretKey` → `spec.template.envVars.DB`. */
export const changePathOf = (field: string, settings: ServiceSettings): string => {
  for (const [pattern, items] of listed) {
    const index = pattern.exec(field)?.[1];
    if (index !== undefined) return items(settings)[Number(index)] ?? field;
  }
  return field;
};
