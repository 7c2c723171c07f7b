/** Requests of a test while something happens to the platform, and what became of them. */
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const LANES = 2;
const PATIENCE_MS = 5000;

export interface Seen {
  readonly count: number;
  readonly failed: number;
  /** Longest time without a good answer. */
  readonly longestMs: number;
}

/** Answers the status 0 if nobody listens or the connection breaks. */
export const ask = (url: string, headers: http.OutgoingHttpHeaders = {}): Promise<{ status: number; text: string }> =>
  new Promise((answered) => {
    const failed = (): void => answered({ status: 0, text: '' });
    const request = http.get(url, { headers: { ...headers, connection: 'close' }, timeout: PATIENCE_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => answered({ status: answer.statusCode ?? 0, text })).on('error', failed);
    });
    request.on('timeout', () => request.destroy()).on('error', failed);
  });

/** Asks again and again until the returned function is called. */
export const load = (request: () => Promise<number>): (() => Promise<Seen>) => {
  let isStopping = false;
  let last = performance.now();
  const seen = { count: 0, failed: 0, longestMs: 0 };
  const lane = async (): Promise<void> => {
    while (!isStopping) {
      const status = await request();
      seen.count += 1;
      if (status === 200) {
        seen.longestMs = Math.max(seen.longestMs, performance.now() - last);
        last = performance.now();
      } else seen.failed += 1;
      await delay(20);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  return async (): Promise<Seen> => {
    isStopping = true;
    await Promise.all(lanes);
    seen.longestMs = Math.max(seen.longestMs, performance.now() - last);
    return seen;
  };
};

export const say = (what: string, seen: Seen): void =>
  void process.stdout.write(
    `${what}: ${seen.failed} of ${seen.count} failed, at most ${Math.round(seen.longestMs)} ms without an answer\n`,
  );
