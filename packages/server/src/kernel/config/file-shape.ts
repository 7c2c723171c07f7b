/** The shape of the configuration file: a tree of keys with a setting at each leaf, made from the table of settings. */
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

export interface Leaf {
  readonly name: string;
  readonly setting: Setting;
}
export type Branch = ReadonlyMap<string, Branch | Leaf>;
type Growing = Map<string, Growing | Leaf>;

export const isLeaf = (node: Branch | Leaf): node is Leaf => !(node instanceof Map);

const grow = (): Branch => {
  const root: Growing = new Map();
  for (const [name, setting] of settings) {
    const keys = setting.path?.split('.') ?? [];
    const last = keys.pop();
    let branch = root;
    for (const key of keys) {
      const next = branch.get(key) ?? new Map<string, Growing | Leaf>();
      if (!(next instanceof Map)) throw new Error(`${setting.path} is below another setting`);
      branch.set(key, next);
      branch = next;
    }
    if (last !== undefined) branch.set(last, { name, setting });
  }
  return root;
};

export const fileShape = grow();

const pathsBelow = (branch: Branch): string[] =>
  [...branch.values()].flatMap((node) => (isLeaf(node) ? (node.setting.path ?? []) : pathsBelow(node)));
/** Paths of all settings, each section's together. */
export const filePaths: readonly string[] = pathsBelow(fileShape);
