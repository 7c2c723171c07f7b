/** Differences between a service and the target of its copy by section, and the selected changes. */
import {
  type ServiceChange,
  settingsSectionIds,
  settingsSections,
  type SettingsSection,
} from '@slipway/contract/pipeline/service-change.ts';
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { carriedOnDemand } from '@slipway/contract/service/service-operations.ts';

export interface SectionChanges {
  section: SettingsSection;
  title: string;
  changes: ServiceChange[];
}

/** Groups changes in the order of the settings screen. Omits sections without changes. */
export const bySection = (changes: readonly ServiceChange[]): SectionChanges[] =>
  settingsSectionIds
    .map((section) => ({ section, title: settingsSections[section], changes: changes.filter((change) => change.section === section) }))
    .filter((group) => group.changes.length > 0);

/** The user's selections by path. Other changes use the API's default. */
export type Ticks = ReadonlyMap<string, boolean>;

export const isCarried = (ticks: Ticks, path: string): boolean => ticks.get(path) ?? !carriedOnDemand.includes(path);

export const withTicks = (ticks: Ticks, paths: readonly string[], value: boolean): Ticks =>
  new Map([...ticks, ...paths.map((path) => [path, value] as const)]);

/** Returns the selected paths, or the API's default if the user has not changed the selection. */
export const carryOf = (changes: readonly Pick<ServiceChange, 'path'>[], ticks: Ticks): 'all' | string[] =>
  ticks.size === 0 ? 'all' : changes.map(({ path }) => path).filter((path) => isCarried(ticks, path));

export interface MissingSecret {
  group: string;
  /** Undefined if the whole group is missing. */
  key: string | undefined;
}

interface SecretReference {
  secretGroup?: string;
  secretKey?: string | null;
  includeAllKeys?: boolean;
}

/** Returns the secret that a copied value references and the target lacks. Undefined until the target's groups are loaded. */
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
