/** Compares two sets of settings field by field, and copies selected fields from one to the other. */
import { isRecord } from '../kernel/is-record.ts';
import type { ChangeEffect, ServiceChange } from '../pipeline/service-change.ts';
import type { EnvVar, SecretFileMount, ServiceSpec } from './service-spec.ts';
import { settingsFieldOf, settingsFields, type ServiceSettings } from './service-settings.ts';

const envVars = 'spec.template.envVars';
const mounts = 'spec.template.secretFileMounts';

const valueAt = (settings: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), settings);

const envVarOf = ({ source, value, secretGroup, secretKey }: EnvVar): unknown =>
  source === 'STATIC' ? { source, value: value ?? '' } : { source, secretGroup: secretGroup ?? '', secretKey: secretKey ?? '' };
const mountOf = ({ secretGroup, includeAllKeys, fileFormat, secretKey }: SecretFileMount): unknown => ({
  secretGroup,
  includeAllKeys,
  fileFormat: fileFormat.toLowerCase(),
  secretKey: includeAllKeys ? null : secretKey,
});

/** Maps paths to values, with lists split into items. */
const flat = (settings: ServiceSettings): Map<string, unknown> => {
  const found = new Map<string, unknown>();
  for (const path of Object.keys(settingsFields)) {
    if (path === envVars) for (const item of settings.spec.template.envVars) found.set(`${envVars}.${item.name}`, envVarOf(item));
    else if (path === mounts)
      for (const item of settings.spec.template.secretFileMounts) found.set(`${mounts}.${item.mountPath}`, mountOf(item));
    else found.set(path, valueAt(settings, path) ?? null);
  }
  return found;
};

/** Lists changes in the order of the screen. New items come after existing ones. Equal settings yield no changes. */
export const serviceChanges = (before: ServiceSettings, after: ServiceSettings): ServiceChange[] => {
  const [old, wanted] = [flat(before), flat(after)];
  const order = Object.keys(settingsFields);
  const rankOf = (path: string) => order.findIndex((known) => path === known || path.startsWith(`${known}.`));
  const known = [...new Set([...old.keys(), ...wanted.keys()])];
  const rank = new Map(known.map((path) => [path, rankOf(path)]));
  const paths = known.toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  return paths.flatMap((path): ServiceChange[] => {
    const [from, to] = [old.get(path) ?? null, wanted.get(path) ?? null];
    const field = settingsFieldOf(path);
    if (!field || JSON.stringify(from) === JSON.stringify(to)) return [];
    const { section, effect, unit = null } = field;
    return [{ path, section, label: labelOf(path, field.label), unit, effect, before: from, after: to }];
  });
};

const labelOf = (path: string, label: string): string => {
  const list = [envVars, mounts].find((known) => path.startsWith(`${known}.`));
  return list ? path.slice(list.length + 1) : label;
};

/** Deep copy; settings are plain JSON. */
const copyOf = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

const withItem = <T>(items: readonly T[], keyOf: (item: T) => string, key: string, item: T | undefined): T[] => {
  const index = items.findIndex((known) => keyOf(known) === key);
  if (item === undefined) return items.filter((known) => keyOf(known) !== key);
  return index < 0 ? [...items, item] : items.with(index, item);
};

const setAt = (target: unknown, path: string, value: unknown): void => {
  const dot = path.lastIndexOf('.');
  const holder = dot < 0 ? target : valueAt(target, path.slice(0, dot));
  if (isRecord(holder)) holder[path.slice(dot + 1)] = value;
};

/**
 * Returns `base` with the fields at `paths` (as `serviceChanges` names them) taken from `source`. Fields that `source` lacks are removed.
 */
export const carryChanges = (base: ServiceSettings, source: ServiceSettings, paths: readonly string[]): ServiceSettings => {
  const result = copyOf(base);
  const { template } = result.spec;
  const from: ServiceSpec['template'] = source.spec.template;
  for (const path of paths) {
    if (path.startsWith(`${envVars}.`)) {
      const name = path.slice(envVars.length + 1);
      const item = from.envVars.find((known) => known.name === name);
      template.envVars = withItem(template.envVars, (known) => known.name, name, item);
    } else if (path.startsWith(`${mounts}.`)) {
      const mountPath = path.slice(mounts.length + 1);
      const item = from.secretFileMounts.find((known) => known.mountPath === mountPath);
      template.secretFileMounts = withItem(template.secretFileMounts, (known) => known.mountPath, mountPath, item);
    } else if (Object.hasOwn(settingsFields, path)) {
      setAt(result, path, copyOf(valueAt(source, path)));
    }
  }
  return result;
};

export const hasEffect = (changes: readonly Pick<ServiceChange, 'effect'>[], effect: ChangeEffect): boolean =>
  changes.some((change) => change.effect === effect);
