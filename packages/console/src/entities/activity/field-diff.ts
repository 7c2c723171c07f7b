/** Compares the before and after states of an entry: field by field, list items by name. */
import { settingsFields } from '@slipway/contract/service/service-settings.ts';
import { settingLabel } from '#entities/plan/index.ts';

export type FieldChangeKind = 'added' | 'removed' | 'changed' | 'same';
export interface FieldChange {
  path: string;
  /** The field's name on the settings screen, otherwise its path. */
  label: string;
  kind: FieldChangeKind;
  /** Formatted values; undefined if the field is absent. */
  before: string | undefined;
  after: string | undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that identify a list item, so that an item that only moved is not shown as changed. */
const naming = ['name', 'mountPath', 'key', 'path'] as const;
const namingOf = (item: unknown): (typeof naming)[number] | undefined =>
  isRecord(item) ? naming.find((name) => typeof item[name] === 'string' && item[name] !== '') : undefined;
const keyOf = (item: unknown): string => String(isRecord(item) ? item[namingOf(item) ?? ''] : '');

const lists = ['spec.template.envVars', 'spec.template.secretFileMounts'];
const isItem = (path: string): boolean => lists.some((list) => path.startsWith(`${list}.`));

/** Formats settings as on their screen, with units, and other values as stored. */
const textOf = (path: string, value: unknown): string => {
  const field = Object.hasOwn(settingsFields, path) ? settingsFields[path] : undefined;
  const words = field || isItem(path) ? settingLabel({ path, unit: field?.unit ?? null }, value) : null;
  return words ?? (typeof value === 'string' ? value : JSON.stringify(value));
};

/** Flattens to path → text. Skips null. Keeps empty lists and objects, so that emptying one is shown. */
const flat = (value: unknown, path: string, found: Map<string, string>): Map<string, string> => {
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (value === undefined || value === null) return found;
  if (Array.isArray(value) && value.length > 0 && value.every((item) => namingOf(item) !== undefined)) {
    for (const item of value) flat(withoutKey(item), inside(keyOf(item)), found);
  } else if (isRecord(value) && Object.keys(value).length > 0 && !isItem(path)) {
    for (const [name, inner] of Object.entries(value)) flat(inner, inside(name), found);
  } else {
    found.set(path, textOf(path, value));
  }
  return found;
};

/** Removes the key, because the path contains it already, unless it is the item's only field. */
const withoutKey = (item: unknown): unknown => {
  if (!isRecord(item)) return item;
  const rest = Object.entries(item).filter(([name]) => name !== namingOf(item));
  return rest.length === 0 ? keyOf(item) : Object.fromEntries(rest);
};

const labelOf = (path: string): string => {
  if (Object.hasOwn(settingsFields, path)) return settingsFields[path]?.label ?? path;
  const list = lists.find((known) => path.startsWith(`${known}.`));
  return list ? path.slice(list.length + 1) : path;
};

const kindOf = (before: string | undefined, after: string | undefined): FieldChangeKind => {
  if (before === after) return 'same';
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
};

/**
 * Returns the changes in the order of `before`, new fields last. If only one state exists, all its fields are returned unchanged (`same`),
 * because an entry that only reports an action's outcome replaces nothing.
 */
export const fieldDiff = (before: unknown, after: unknown): FieldChange[] => {
  const [old, now] = [flat(before, '', new Map()), flat(after, '', new Map())];
  const hasBoth = old.size > 0 && now.size > 0;
  return [...new Set([...old.keys(), ...now.keys()])].map((path) => {
    const [from, to] = [old.get(path), now.get(path)];
    const kind = hasBoth ? kindOf(from, to) : 'same';
    return { path, label: labelOf(path) || 'Value', kind, before: from, after: to };
  });
};
