/** Apps, services and teams recently visited in this browser, newest first. Records only existing ones. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { paths } from '#entities/paths.ts';
import { storedValue } from '#kit/state/stored.ts';

export const recentKinds = ['app', 'service', 'team'] as const;
export interface RecentPlace {
  readonly kind: (typeof recentKinds)[number];
  readonly label: string;
  readonly note: string;
  readonly href: string;
}

const keptAtMost = 12;

const isPlace = (value: unknown): value is RecentPlace => {
  if (!isRecord(value)) return false;
  const { kind, label, note, href } = value;
  return recentKinds.some((known) => known === kind) && [label, note, href].every((text) => typeof text === 'string');
};

export const recentPlaces = storedValue<readonly RecentPlace[]>('recent-places', (raw) => (Array.isArray(raw) ? raw.filter(isPlace) : []));

export const rememberPlace = (place: RecentPlace): void => {
  const known = recentPlaces.get();
  if (known[0]?.href === place.href && known[0].label === place.label) return;
  recentPlaces.set([place, ...known.filter(({ href }) => href !== place.href)].slice(0, keptAtMost));
};

/** Removes a deleted place and everything below it. */
export const forgetPlace = (href: string): void => {
  const known = recentPlaces.get();
  const rest = known.filter((place) => place.href !== href && !place.href.startsWith(`${href}/`));
  if (rest.length < known.length) recentPlaces.set(rest);
};

export const appPlace = (app: string, env: string): RecentPlace => ({ kind: 'app', label: app, note: env, href: paths.app({ app, env }) });
