/** Streams a revision's log over fetch. Reconnects after every interruption, without duplicate lines. */
import { send2xx, urlOf } from '#kit/api/call.ts';
import { isStatus } from '#kit/api/errors.ts';
import { readEvents, StreamRefused } from '#kit/api/event-stream.ts';
import { accessToken, tokenAfter } from '#kit/api/session.ts';
import { lineKey, type LogLine, shownLine } from '#kit/log/log-line.ts';
import { type LogStore, linesKept } from '#kit/log/log-store.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { revisionLogs } from '@slipway/contract/service/revision.ts';
import { saveFile } from '#kit/save-file.ts';

export type LogRef = ServiceRef & { revision: string };

export type StreamState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** The log has ended; no more lines will come. */
  | { readonly state: 'ended' }
  /** Reading failed; a retry may help. */
  | { readonly state: 'failed' }
  /** `since`: time of the last live connection, in milliseconds since 1970. */
  | { readonly state: 'reconnecting'; readonly since: number }
  | { readonly state: 'refused'; readonly status: number };

/**
 * Silence after which the stream reconnects, to detect dead connections. A quiet program may write nothing for long, but reconnecting is
 * cheap.
 */
const silenceMs = 120_000;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** Lines to request again after an interruption. Known lines are dropped. */
const catchUpLines = 5000;
/** Batches lines, because the screen updates at most ten times per second. */
const batchMs = 100;

interface WireLine {
  number: number;
  at: string;
  instance: string;
  line: string;
}
const isWireLine = (value: unknown): value is WireLine =>
  typeof value === 'object' && value !== null && 'number' in value && 'instance' in value && 'line' in value && 'at' in value;

/** Returns undefined for data that is not a log line. */
export const parseLine = (data: string): LogLine | undefined => {
  try {
    const value: unknown = JSON.parse(data);
    if (!isWireLine(value)) return undefined;
    return {
      key: lineKey(value.instance, value.number),
      number: value.number,
      at: value.at,
      source: value.instance,
      ...shownLine(value.line),
    };
  } catch {
    return undefined;
  }
};

const textLine = /^(\S+) (\S+) (?:stdout|stderr) (.*)$/;
/** Parses a line of the text log. Text lines have no numbers, so the caller counts them. Returns undefined if it is not a log line. */
export const parseTextLine = (raw: string, number: number): LogLine | undefined => {
  const [, at, source, line = ''] = textLine.exec(raw) ?? [];
  if (at === undefined || source === undefined) return undefined;
  return { key: lineKey(source, number), number, at, source, ...shownLine(line) };
};

/** Reads the runs before the last restart once. They have ended, so nothing is streamed. */
export const readPrevious = async ({ ref, store, tail, signal, tell }: FollowOptions): Promise<void> => {
  try {
    const response = await send2xx(revisionLogs, { params: { ...ref }, query: { tail, previous: 'true' } }, { signal });
    const lines = (await response.text()).split('\n');
    store.append(lines.flatMap((line, index) => parseTextLine(line, index + 1) ?? []));
    tell({ state: 'ended' });
  } catch (error) {
    if (signal.aborted) return;
    tell(isStatus(error, 403, 404) ? { state: 'refused', status: error.status } : { state: 'failed' });
  }
};

const createBatch = (store: LogStore) => {
  let waiting: LogLine[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) store.append(lines);
  };
  return {
    flush,
    add: (data: string): void => {
      const line = parseLine(data);
      if (!line) return;
      waiting.push(line);
      timer ??= setTimeout(flush, batchMs);
    },
  };
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done, { once: true });
    signal.addEventListener('abort', done, { once: true });
  });

export interface FollowOptions {
  ref: LogRef;
  store: LogStore;
  /** Number of old lines to start with. */
  tail: number;
  signal: AbortSignal;
  tell: (state: StreamState) => void;
}

const isFinal = (error: unknown): error is StreamRefused => error instanceof StreamRefused && [400, 403, 404].includes(error.status);

/** Runs until the signal aborts or the server says that there is nothing to read. */
export const followLog = async ({ ref, store, tail, signal, tell }: FollowOptions): Promise<void> => {
  let attempt = 0;
  let refused: string | undefined;
  let since: number | undefined;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const batch = createBatch(store);
    const token = refused === undefined ? await accessToken() : await tokenAfter(refused);
    refused = undefined;
    const lines = isFirst || store.lines.length === 0 ? tail : Math.min(tail, catchUpLines);
    const url = urlOf(revisionLogs, { params: { ...ref }, query: { follow: 'true', tail: lines } });
    const onOpen = (): void => {
      attempt = 0;
      since = undefined;
      tell({ state: 'live' });
    };
    try {
      await readEvents(url, { token, signal, silenceMs, onOpen, onEvent: batch.add });
    } catch (error) {
      if (isFinal(error)) return tell({ state: 'refused', status: error.status });
      if (error instanceof StreamRefused && error.status === 401) refused = token;
    } finally {
      batch.flush();
    }
    if (signal.aborted) return;
    since ??= Date.now();
    tell({ state: 'reconnecting', since });
    await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** attempt), signal);
    attempt += 1;
  }
};

/** Downloads the log as a text file, with as many of its newest lines as the page keeps. */
export const downloadLog = async (ref: LogRef, instance: string, isPrevious: boolean): Promise<void> => {
  const query = { tail: linesKept, ...(instance === '' ? {} : { instance }), ...(isPrevious ? { previous: 'true' } : {}) };
  const response = await send2xx(revisionLogs, { params: { ...ref }, query });
  saveFile(await response.blob(), `${instance === '' ? ref.revision : instance}${isPrevious ? '-previous' : ''}.log`);
};
