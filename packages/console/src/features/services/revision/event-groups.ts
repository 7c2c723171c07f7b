/** Groups instance events: the same event on any instance of a revision becomes one line with a count. */
import type { InstanceEvent as Event } from '@slipway/contract/service/revision.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export type { Event };
export interface EventGroup {
  readonly key: string;
  readonly type: Event['type'];
  readonly reason: string;
  /** Message of the newest event. */
  readonly message: string;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  readonly instances: readonly string[];
}

export const eventTones: Readonly<Record<Event['type'], Tone>> = {
  added: 'off',
  running: 'ok',
  modified: 'off',
  unhealthy: 'warn',
  warning: 'warn',
  error: 'bad',
  deleted: 'idle',
  bookmarked: 'off',
};

/**
 * Events that differ only in numbers belong together: exit codes, waits, restarts. Different texts or response statuses form separate
 * groups.
 */
const keyOf = ({ type, reason, context, message }: Event): string => {
  const texts =
    context === null ? [message] : Object.entries(context).filter(([name, value]) => typeof value === 'string' || name === 'status');
  return JSON.stringify([type, reason, texts]);
};

/** Newest first, by the last occurrence. */
export const groupEvents = (events: readonly Event[]): EventGroup[] => {
  const groups = new Map<string, EventGroup>();
  for (const event of events) {
    const key = keyOf(event);
    const known = groups.get(key);
    const isNewer = !known || event.lastAt > known.last;
    groups.set(key, {
      key,
      type: event.type,
      reason: event.reason,
      message: isNewer ? event.message : known.message,
      count: (known?.count ?? 0) + event.count,
      first: known && known.first < event.at ? known.first : event.at,
      last: isNewer ? event.lastAt : known.last,
      instances: [...new Set([...(known?.instances ?? []), event.instance])],
    });
  }
  return [...groups.values()].toSorted((a, b) => b.last.localeCompare(a.last));
};

const verbs: Readonly<Record<string, string>> = {
  Exited: 'Crashed',
  OOMKilled: 'Stopped: out of memory',
  ProbeFailed: 'Failed its health check',
  ImagePullFailed: 'Could not pull the image',
  RegistryUnavailable: 'Could not reach the registry',
  StartFailed: 'Could not start',
};
/** `ProbeFailed` → "Failed its health check". A reason without a label is split into words: `DiskFull` → "Disk full". */
export const eventLabel = ({ reason, type }: Pick<EventGroup, 'reason' | 'type'>): string => {
  const own = reason === 'Exited' && type !== 'error' ? undefined : verbs[reason];
  if (own) return own;
  const text = reason.replace(/([a-z])([A-Z])/g, '$1 $2');
  return text.charAt(0) + text.slice(1).toLowerCase();
};

/** Filter choices. All problems are one choice, because that is what users look for. */
export const eventFilters = ['', 'diagnosis', 'lifecycle'] as const;
export type EventFilter = (typeof eventFilters)[number];
export const eventFilterNames: Readonly<Record<EventFilter, string>> = { '': 'All', diagnosis: 'Diagnosis', lifecycle: 'Starts and stops' };
const diagnosis: ReadonlySet<Event['type']> = new Set(['unhealthy', 'warning', 'error']);
export const filterEvents = (groups: readonly EventGroup[], filter: string): EventGroup[] => {
  if (filter === 'diagnosis') return groups.filter(({ type }) => diagnosis.has(type));
  return filter === 'lifecycle' ? groups.filter(({ type }) => !diagnosis.has(type)) : [...groups];
};
