/**
 * Live changes. One tab of the browser holds the stream and forwards it to the others, because one stream per tab would use up the
 * connections of HTTP/1.1. When that tab closes, the lock passes to another tab. Hints only say what changed; a GET loads the data.
 */
import { hintOf, type ChangeHint } from '@slipway/contract/hint.ts';
import { eventStream } from '@slipway/contract/platform.ts';
import { urlOf } from './call.ts';
import { connection, type Connection } from './connection.ts';
import { readEvents, StreamRefused } from './event-stream.ts';
import { accessToken, signInAgain, tokenAfter } from './session.ts';

type Message = { type: 'hint'; hint: ChangeHint } | { type: 'connection'; value: Connection } | { type: 'missed' } | { type: 'ask' };

export interface LiveOptions {
  onHint: (hint: ChangeHint) => void;
  /** The stream was down for a while: everything on screen may be stale. */
  onMissed: () => void;
}

const silenceMs = 60_000;
/** Event of a server that lost its database connection for a while and may have missed changes. */
const resync = 'resync';
const firstPauseMs = 500;
const longestPauseMs = 15_000;

/** Returns 0.5 s, 1 s, 2 s … 15 s, each with up to 25% jitter, so that browsers do not all reconnect at the same moment. */
export const pauseMs = (attempt: number, random = Math.random()): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (1 + random / 4);

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      for (const [target, type] of wakers) target.removeEventListener(type, done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    // The network or the user is back: end the pause early.
    const wakers: [EventTarget, string][] = [
      [globalThis, 'online'],
      [globalThis, 'focus'],
      [signal, 'abort'],
    ];
    for (const [target, type] of wakers) target.addEventListener(type, done, { once: true });
  });

const hintIn = (data: string): ChangeHint | undefined => {
  try {
    return hintOf(JSON.parse(data));
  } catch {
    return undefined;
  }
};

/** Holds the stream until the signal aborts, and reconnects after every break. */
const lead = async (signal: AbortSignal, say: (message: Message) => void): Promise<void> => {
  let attempt = 0;
  let wasLive = false;
  let refused: string | undefined;
  const lose = (): void => {
    if (connection.get().state !== 'reconnecting') say({ type: 'connection', value: { state: 'reconnecting', since: Date.now() } });
  };
  while (!signal.aborted) {
    const before = refused;
    const token = before === undefined ? await accessToken() : await tokenAfter(before);
    refused = undefined;
    try {
      await readEvents(urlOf(eventStream, {}), {
        token,
        signal,
        silenceMs,
        onOpen: () => {
          attempt = 0;
          say({ type: 'connection', value: { state: 'live' } });
          if (wasLive) say({ type: 'missed' });
          wasLive = true;
        },
        onEvent: (data, event) => {
          const hint = hintIn(data);
          if (event === resync) say({ type: 'missed' });
          else if (hint) say({ type: 'hint', hint });
        },
      });
    } catch (error) {
      if (error instanceof StreamRefused && error.status === 401) {
        refused = token;
        // There is no newer token: the session ended. Redirect from here, because this page may send no other request.
        if (token === before || token === '') void signInAgain();
      }
    }
    if (signal.aborted) return;
    lose();
    await wait(pauseMs(attempt), signal);
    attempt += 1;
  }
};

/** Starts to follow live changes. The returned function stops. */
export const startLive = ({ onHint, onMissed }: LiveOptions): (() => void) => {
  const stop = new AbortController();
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('slipway-live');
  let isLeader = false;
  const take = (message: Message): void => {
    if (message.type === 'hint') onHint(message.hint);
    else if (message.type === 'missed') onMissed();
    else if (message.type === 'connection') connection.set(message.value);
    else if (isLeader) channel?.postMessage({ type: 'connection', value: connection.get() } satisfies Message);
  };
  const say = (message: Message): void => {
    take(message);
    channel?.postMessage(message);
  };
  if (channel) channel.onmessage = (event: MessageEvent<Message>) => take(event.data);
  channel?.postMessage({ type: 'ask' } satisfies Message);
  const run = (): Promise<void> => {
    isLeader = true;
    return lead(stop.signal, say);
  };
  // Without locks (an insecure origin) every tab holds its own stream.
  const started = navigator.locks ? navigator.locks.request('slipway-live', { signal: stop.signal }, run) : run();
  started.catch(() => undefined);
  return () => {
    stop.abort();
    channel?.close();
  };
};
