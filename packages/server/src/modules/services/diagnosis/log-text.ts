/** Formats log lines: plain text for people and curl, server-sent events for the console's live tail. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '#ports/runtime.ts';

/** Interval of keep-alive comments, which show readers that the stream is open and keep proxies from closing it. */
const PING_MS = 15_000;

/** Yields each item as it arrives, and `undefined` whenever no item arrived for `pingMs`. */
async function* withPings<T>(items: AsyncIterable<T>, pingMs: number): AsyncGenerator<T | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (let next = iterator.next(); ;) {
      const quiet = new AbortController();
      const ping = delay(pingMs, undefined, { signal: quiet.signal }).catch(() => undefined);
      const first = await Promise.race([next, ping]);
      quiet.abort();
      if (first === undefined) yield undefined;
      else if (first.done) return;
      else {
        yield first.value;
        next = iterator.next();
      }
    }
  } finally {
    await iterator.return?.();
  }
}

const eventOf = ({ number, at, instance, stream, line }: LogLine): string =>
  `data: ${JSON.stringify({ number, at: at.toISOString(), instance, stream, line })}\n\n`;

/** `2026-11-20T12:00:00.000Z berth-1-abc stdout text`, or one event a line: `{ number, at, instance, stream, line }`. */
export async function* logText(lines: AsyncIterable<LogLine>, asEvents: boolean, since: Date, pingMs = PING_MS): AsyncGenerator<string> {
  // Sends the headers immediately, even if the service logs nothing for a while.
  if (asEvents) yield ': open\n\n';
  for await (const item of asEvents ? withPings(lines, pingMs) : lines) {
    if (item === undefined) yield ': ping\n\n';
    // An earlier service with this name, perhaps of another team, may have had a revision with this name.
    else if (item.at >= since) yield asEvents ? eventOf(item) : `${item.at.toISOString()} ${item.instance} ${item.stream} ${item.line}\n`;
  }
}
