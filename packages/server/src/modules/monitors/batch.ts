/** Turns a batch of payloads into rows. Rows with the same key are joined and sorted, so that concurrent batches lock them in one order. */
import { maxErrors } from '@slipway/contract/monitoring/readings.ts';
import type { Batch, CountRow, ErrorRow, SessionRow } from './batch-rows.sql.ts';
import { OTHER, type Dimension, type Names } from './known-names.ts';
import type { KnownMonitor } from './known-monitors.ts';
import type { ReadEvent, ReadPayload } from './payload.ts';

export interface Arrived {
  readonly monitor: KnownMonitor;
  readonly payload: ReadPayload;
  readonly receivedAt: Date;
}

const MAX_PAGES = 20;
const HOUR_MS = 3_600_000;

type Draft = { [Key in keyof Batch]: Key extends 'events' | 'names' ? Batch[Key] : Map<string, Batch[Key][number]> };
interface Asked {
  readonly names: Names;
  readonly isEnded: (arrived: Arrived) => boolean;
}

const addCount = (counts: Draft['counts'], row: Omit<CountRow, 'n'>): void => {
  const key = Object.values(row).join('\n');
  const known = counts.get(key);
  if (known) known.n += 1;
  else counts.set(key, { ...row, n: 1 });
};

const addSession = (sessions: Draft['sessions'], { monitor, payload, receivedAt }: Arrived, release: string): void => {
  const { session: id, user, browser, os, country, page, events } = payload;
  const count = (kind: ReadEvent['kind']): number => events.filter((event) => event.kind === kind).length;
  const at = receivedAt.toISOString();
  const key = `${monitor.id}\n${id}`;
  const row: SessionRow = sessions.get(key) ?? {
    monitor_id: monitor.id,
    id,
    user_hash: user,
    browser,
    os,
    country,
    release,
    at,
    pages: [],
    views: 0,
    errors: 0,
  };
  row.user_hash ??= user;
  row.release = release || row.release;
  row.at = at;
  row.views += count('VIEW');
  row.errors += count('ERROR');
  if (page !== '' && row.pages.at(-1) !== page && row.pages.length < MAX_PAGES) row.pages.push(page);
  sessions.set(key, row);
};

/** Returns the id under which the error is kept. */
const addError = (draft: Draft, { monitor, payload }: Arrived, event: ReadEvent, at: string, release: string, names: Names): string => {
  const { error } = event;
  if (!error) return event.name;
  const isOther = names.use(monitor.id, 'error', error.id) === OTHER;
  const own = isOther
    ? { id: `err_${monitor.id}`, type: 'Other errors', message: `More than ${maxErrors} different errors`, culprit: '', frames: [] }
    : error;
  const known = draft.errors.get(own.id);
  const first: ErrorRow = {
    ...own,
    monitor_id: monitor.id,
    n: 0,
    first_at: at,
    first_release: release,
    last_at: at,
    last_release: release,
  };
  const row = known ?? first;
  row.n += 1;
  if (at < row.first_at) Object.assign(row, { first_at: at, first_release: release });
  if (at >= row.last_at)
    Object.assign(row, { last_at: at, last_release: release, frames: own.frames, message: own.message, culprit: own.culprit });
  draft.errors.set(own.id, row);
  const user = payload.user ?? (payload.session && `s:${payload.session}`);
  if (user) draft.users.set(`${own.id}\n${user}`, { monitor_id: monitor.id, error_id: own.id, user_hash: user });
  return own.id;
};

const addEvent = (draft: Draft, arrived: Arrived, event: ReadEvent, names: Names): void => {
  const { monitor, payload } = arrived;
  const use = (dimension: Dimension, name: string): string => names.use(monitor.id, dimension, name);
  const [page, release] = [use('page', payload.page), use('release', payload.release)];
  const at = event.at.toISOString();
  const name = event.kind === 'ERROR' ? addError(draft, arrived, event, at, payload.release, names) : event.name;
  const { kind, value, status, message } = event;
  const of = { monitor_id: monitor.id, retention_days: monitor.retentionDays, session_id: payload.session };
  draft.events.push({ ...of, at, kind, name, page: payload.page, release: payload.release, value, status, message });
  if (!event.counted) return;
  const hour = new Date(Math.floor(event.at.getTime() / HOUR_MS) * HOUR_MS).toISOString();
  const counted = { monitor_id: monitor.id, ...event.counted, hour };
  addCount(draft.counts, { ...counted, dimension: '', name: '' });
  if (page !== '') addCount(draft.counts, { ...counted, dimension: 'page', name: page });
  if (release !== '') addCount(draft.counts, { ...counted, dimension: 'release', name: release });
  if (kind === 'ERROR') addCount(draft.counts, { ...counted, dimension: 'error', name });
  if (kind === 'CALL') addCount(draft.counts, { ...counted, dimension: 'call', name: use('call', name) });
};

const sorted = <Row>(rows: ReadonlyMap<string, Row>): Row[] => [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);

export const batchOf = (arrived: readonly Arrived[], { names, isEnded }: Asked): Batch => {
  const draft: Draft = { events: [], names: [], sessions: new Map(), errors: new Map(), users: new Map(), counts: new Map() };
  for (const one of arrived) {
    if (one.payload.session !== '' && !isEnded(one)) addSession(draft.sessions, one, one.payload.release);
    for (const event of one.payload.events) addEvent(draft, one, event, names);
  }
  return {
    events: draft.events,
    names: names.fresh.map(({ monitorId, dimension, name }) => ({ monitor_id: monitorId, dimension, name })),
    sessions: sorted(draft.sessions),
    errors: sorted(draft.errors),
    users: sorted(draft.users),
    counts: sorted(draft.counts),
  };
};
