/** Rows of a group's keys: its own, and keys that only the other environment has. */
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import type { EnvironmentState } from '#features/secrets/secret-labels.ts';

export interface KeyRow {
  readonly key: string;
  /** Undefined for a key that only the other environment has. */
  readonly own: SecretGroup['keys'][number] | undefined;
  /** Undefined if there is nothing to compare with. */
  readonly state: EnvironmentState | undefined;
}

export const rowsOf = (
  keys: SecretGroup['keys'],
  other: { readonly keys: readonly { key: string; state: EnvironmentState }[] } | undefined,
  isOnlyDifferent: boolean,
): KeyRow[] => {
  const stateOf = new Map(other?.keys.map(({ key, state }) => [key, state]));
  const own = keys.map((item) => ({ key: item.key, own: item, state: stateOf.get(item.key) }));
  const others = [...stateOf]
    .filter(([name]) => !keys.some(({ key }) => key === name))
    .map(([key, state]) => ({ key, own: undefined, state }));
  return [...own, ...others].filter(({ state }) => !isOnlyDifferent || state !== 'SAME').toSorted((a, b) => (a.key < b.key ? -1 : 1));
};
