/** Labels for secrets: changes, key expiry, and services that need a restart. */
import type { SecretGroup, SecretVersion, environmentStates, secretChanges } from '@slipway/contract/secret/secret-group.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { Tone } from '@slipway/ui/tone.ts';

/** "2 services need a restart"; undefined if none does. */
export const restartLabel = (services: SecretGroup['services']): string | undefined => {
  const waiting = services.filter(({ needsRestart }) => needsRestart).length;
  if (waiting === 0) return undefined;
  return `${count(waiting, 'service')} ${waiting === 1 ? 'needs' : 'need'} a restart`;
};

const small = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
/** "7, two behind": the version that a service runs, compared with the newest. */
export const runsLabel = (runs: number | null, newest: number): string => {
  if (runs === null) return 'None yet';
  const behind = newest - runs;
  return behind > 0 ? `${runs}, ${small[behind] ?? behind} behind` : String(runs);
};

/** The origin of a version of `group`: "Restored from 3", "Copied from development, version 4", otherwise its number of keys. */
export const originLabel = ({ origin, from, keys }: Pick<SecretVersion, 'origin' | 'from' | 'keys'>, group: string): string => {
  if (origin === 'RESTORED' && from !== null) return `Restored from ${from}`;
  const [, environment, name, version] = /^([^/]+)\/(.+)@(\d+)$/.exec(from ?? '') ?? [];
  if (origin !== 'COPIED' || environment === undefined) return count(keys.length, 'key');
  return `Copied from ${name === group ? environment : `${name} in ${environment}`}, version ${version}`;
};

type Key = SecretGroup['keys'][number];
const dateFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
export const dateLabel = (date: string): string => dateFormat.format(new Date(`${date}T00:00:00Z`));

export const expiryLook = ({ expiry, expiresAt }: Pick<Key, 'expiry' | 'expiresAt'>): { tone: Tone; word: string } | undefined => {
  if (expiresAt === null) return undefined;
  const date = dateLabel(expiresAt);
  if (expiry === 'EXPIRED') return { tone: 'bad', word: `Expired ${date}` };
  return { tone: expiry === 'SOON' ? 'warn' : 'off', word: `${expiry === 'SOON' ? 'Ends' : 'Until'} ${date}` };
};
/** Reminder for a whole group: "DB_PASSWORD expired", "2 keys end soon". Undefined if no key ends soon. */
export const expiryReminder = (keys: readonly Pick<Key, 'key' | 'expiry'>[]): { tone: Tone; word: string } | undefined => {
  const expired = keys.filter(({ expiry }) => expiry === 'EXPIRED');
  const soon = keys.filter(({ expiry }) => expiry === 'SOON');
  if (expired.length > 0) return { tone: 'bad', word: `${expired.length === 1 ? expired[0]?.key : count(expired.length, 'key')} expired` };
  if (soon.length === 0) return undefined;
  return { tone: 'warn', word: soon.length === 1 ? `${soon[0]?.key} ends soon` : `${count(soon.length, 'key')} end soon` };
};

export const changeLabels: Readonly<Record<(typeof secretChanges)[number], string>> = {
  ADDED: 'Added',
  REMOVED: 'Removed',
  CHANGED: 'Changed',
  SAME: 'Same',
};
export type EnvironmentState = (typeof environmentStates)[number];
export const stateLabels: Readonly<Record<EnvironmentState, string>> = {
  SAME: 'Same',
  DIFFERENT: 'Differs',
  ONLY_DEVELOPMENT: 'Not in production',
  ONLY_PRODUCTION: 'Not in development',
};
export const isThere = (state: EnvironmentState, environment: 'development' | 'production'): boolean =>
  state !== (environment === 'development' ? 'ONLY_PRODUCTION' : 'ONLY_DEVELOPMENT');
/** Placeholder for a hidden value. Its length is constant, so it reveals nothing. */
export const mask = '••••••••';
