/**
 * Reads payloads of the Grafana Faro web SDK into rows. Everything in a payload is untrusted: texts are cut, numbers are checked, URLs lose
 * their query, and person data other than a hash of the user id is dropped.
 */
import { createHash, createHmac } from 'node:crypto';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { SessionEventKind } from '@slipway/contract/monitoring/readings.ts';
import { ratingOf, ratings, vitals } from '@slipway/contract/monitoring/vitals.ts';
import { binOf } from './histogram.ts';

/** Most items of one payload that are read. The SDK sends at most 50 at once. */
export const maxItems = 200;
const maxFrames = 50;
const TEXT = 200;
const MESSAGE = 500;
const CAUSE = 300;
const CLOCK_SKEW_MS = 3_600_000;
const KINDS = { exceptions: 'ERROR', measurements: 'VITAL', events: 'EVENT', logs: 'LOG' } as const;

/** Cuts a text. PostgreSQL rejects half of a surrogate pair, which a plain cut leaves. */
const cut = (value: string, most: number): string => value.slice(0, most).toWellFormed();
/** Returns a text that PostgreSQL can store, without control characters. */
const text = (value: unknown, most = TEXT): string =>
  typeof value === 'string'
    ? cut(value, most)
        // oxlint-disable-next-line no-control-regex -- PostgreSQL rejects U+0000, and terminals interpret the others
        .replace(/[\u0000-\u001f\u007f]+/g, ' ')
        .trim()
    : '';
const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
const list = (value: unknown, most: number): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.slice(0, most).map(record) : [];
const number = (value: unknown): number | null => {
  const parsed = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : null;
};

/** Replaces path segments that look like ids, so that pages of one kind are counted together. */
export const pathPattern = (path: string): string =>
  path
    .split('/')
    .map((part) => (/^\d+$|^[0-9a-f]{8,}$|^[0-9a-f-]{32,}$|\d{4,}/i.test(part) || part.length > 40 || part.includes('@') ? ':id' : part))
    .join('/');
const urlOf = (value: unknown): URL | undefined => {
  const href = text(value, 2000);
  return URL.canParse(href) ? new URL(href) : undefined;
};

export interface Frame {
  readonly function: string;
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}
export interface ReadError {
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly culprit: string;
  readonly frames: readonly Frame[];
}
export interface ReadEvent {
  readonly at: Date;
  readonly kind: SessionEventKind;
  readonly name: string;
  readonly value: number | null;
  readonly status: number | null;
  readonly message: string;
  /** Counted metric with its bin and rating. Undefined if the event is not counted. */
  readonly counted?: { readonly metric: string; readonly bin: number; readonly rating: number };
  readonly error?: ReadError;
}
export interface ReadPayload {
  /** Empty without session tracking. */
  readonly session: string;
  readonly user: string | null;
  readonly browser: string;
  readonly os: string;
  readonly country: string | null;
  readonly release: string;
  readonly page: string;
  readonly events: readonly ReadEvent[];
}

/** Hashes the id of a user, so that only the monitor itself can recognize the user again. */
export const userHash = (salt: string, id: string): string => createHmac('sha256', salt).update(id).digest('hex').slice(0, 16);

const major = (version: string): string => /^\d+/.exec(version)?.[0] ?? '';
const metaOf = (meta: Readonly<Record<string, unknown>>, salt: string): Omit<ReadPayload, 'events'> => {
  const [app, browser, session, user] = [record(meta['app']), record(meta['browser']), record(meta['session']), record(meta['user'])];
  const view = text(record(meta['view'])['name']);
  const page = urlOf(record(meta['page'])['url']);
  const id = text(user['id'], 300) || text(user['hash'], 300) || text(user['username'], 300) || text(user['email'], 300);
  const attributes = record(session['attributes']);
  return {
    session: text(session['id'], 64),
    user: id === '' ? null : userHash(salt, id),
    browser: `${text(browser['name'], 40)} ${major(text(browser['version'], 40))}`.trim() || 'Unknown browser',
    os: text(browser['os'], 60) || 'Unknown system',
    country: text(attributes['country'], 60) || null,
    release: text(app['version'], 100) || text(app['release'], 100),
    page: view !== '' && view !== 'unknown' && view !== 'default' ? view : cut(pathPattern(page?.pathname ?? ''), TEXT),
  };
};

const framesOf = (exception: Readonly<Record<string, unknown>>): Frame[] =>
  list(record(exception['stacktrace'])['frames'], maxFrames).map((frame) => ({
    function: text(frame['function']) || '?',
    file: cut(urlOf(frame['filename'])?.pathname ?? text(frame['filename'], 300), 300),
    line: number(frame['lineno']),
    column: number(frame['colno']),
  }));

/** Removes the parts of a message that differ between occurrences. */
const steady = (message: string): string => message.replace(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/gi, '#').replace(/(["'`]).*?\1/g, '$1…$1');
/** Removes the hash that bundlers put into the names of files: `index-4f2a9c1b.js`. */
const steadyFile = (file: string): string => file.replace(/[-.][\w-]{6,}(?=\.m?js$)/i, '');
const errorOf = (monitorId: string, exception: Readonly<Record<string, unknown>>): ReadError => {
  const [type, message, frames] = [text(exception['type']) || 'Error', text(exception['value'], MESSAGE), framesOf(exception)];
  const given = text(exception['fingerprint'], 300);
  const parts = given
    ? [given]
    : [type, steady(message), ...frames.slice(0, 3).map((frame) => `${frame.function}@${steadyFile(frame.file)}`)];
  const id = createHash('sha256')
    .update([monitorId, ...parts].join('\n'))
    .digest('hex')
    .slice(0, 24);
  const [first] = frames;
  const culprit = first ? `${first.file}:${first.line ?? '?'} in ${first.function}` : '';
  return { id: `err_${id}`, type, message, culprit: cut(culprit, 400), frames };
};

type Item = Readonly<Record<string, unknown>>;
type Read = Omit<ReadEvent, 'at'>;
const bare = { value: null, status: null, message: '' } as const;

const vitalsOf = (item: Item): Read[] => {
  if (item['type'] !== 'web-vitals') return [];
  const values = record(item['values']);
  return vitals.flatMap((vital) => {
    const value = number(values[vital.toLowerCase()]);
    if (value === null || value < 0 || value > 3_600_000) return [];
    const rating = ratings.indexOf(ratingOf(vital, value));
    const counted = { metric: vital, bin: binOf(vital === 'CLS' ? value * 1000 : value), rating };
    return [{ ...bare, kind: 'VITAL' as const, name: vital, value, counted }];
  });
};

const FAILED = 400;
const callOf = (attributes: Item): Read[] => {
  const url = urlOf(attributes['name']);
  const [value, status] = [number(attributes['duration']), number(attributes['responseStatus'])];
  if (!url || value === null || value < 0 || !['fetch', 'xmlhttprequest'].includes(text(attributes['initiatorType']))) return [];
  const isFailed = status !== null && (status >= FAILED || status === 0) && Number.isInteger(status);
  const counted = { metric: 'CALL', bin: binOf(value), rating: isFailed ? 2 : 0 };
  const isStatus = status !== null && Number.isInteger(status) && status >= 0 && status < 1000;
  const name = cut(`${url.host}${pathPattern(url.pathname)}`, TEXT);
  return [{ ...bare, kind: 'CALL', name, value, status: isStatus ? status : null, counted }];
};
const VIEWS = new Set(['faro.performance.navigation', 'view_changed', 'route_change']);
const eventOf = (item: Item): Read[] => {
  const name = text(item['name']);
  const attributes = record(item['attributes']);
  if (name === 'faro.performance.resource') return callOf(attributes);
  if (VIEWS.has(name)) return [{ ...bare, kind: 'VIEW', name, counted: { metric: 'VIEW', bin: 0, rating: 0 } }];
  return name === '' ? [] : [{ ...bare, kind: 'EVENT', name }];
};
const exceptionOf = (monitorId: string, item: Item): Read => {
  const found = errorOf(monitorId, item);
  // Errors of calls share a text, so the cause says which it was. It does not divide the group of the error.
  const cause = text(record(item['context'])['cause'], CAUSE);
  const error = cause === '' ? found : { ...found, message: `${found.message} (${cause})` };
  const message = `${error.type}: ${error.message}`;
  return { ...bare, kind: 'ERROR', name: error.id, message, error, counted: { metric: 'ERROR', bin: 0, rating: 0 } };
};
const readItem = (monitorId: string, kind: (typeof KINDS)[keyof typeof KINDS], item: Item): Read[] => {
  if (kind === 'VITAL') return vitalsOf(item);
  if (kind === 'EVENT') return eventOf(item);
  if (kind === 'ERROR') return [exceptionOf(monitorId, item)];
  return [{ ...bare, kind: 'LOG', name: text(item['level'], 20) || 'log', message: text(item['message'], MESSAGE) }];
};

/** Clocks of browsers are often wrong. A time that is not within the hour before the payload arrived is replaced by that moment. */
const timeOf = (item: Item, now: Date): Date => {
  const at = Date.parse(text(item['timestamp'], 40));
  return at <= now.getTime() && at > now.getTime() - CLOCK_SKEW_MS ? new Date(at) : now;
};

/** Returns undefined if the payload is no object with a `meta`. */
export const readPayload = (payload: unknown, { id, salt }: { id: string; salt: string }, now: Date): ReadPayload | undefined => {
  if (!isRecord(payload) || !isRecord(payload['meta'])) return undefined;
  const events: ReadEvent[] = [];
  for (const [key, kind] of Object.entries(KINDS))
    for (const item of list(payload[key], maxItems - events.length))
      for (const event of readItem(id, kind, item)) if (events.length < maxItems) events.push({ ...event, at: timeOf(item, now) });
  return { ...metaOf(payload['meta'], salt), events };
};
