/**
 * Sends requests at a constant rate whatever the answers do (an open loop), in a process of its own: the platform's work must not slow
 * the sender. Latency counts from the moment when a request was due. constant-load.ts directs it over IPC.
 */
import http from 'node:http';
import type { Measured, Order } from './constant-load.ts';

const connections = 64;
const timeoutMs = 10_000;
/** How late the sender itself may be before its figures say more of this machine than of the platform. */
const tickMs = 4;

interface Answered {
  readonly dueAt: number;
  readonly ms: number;
  /** The body, or what went wrong. */
  readonly version: string | undefined;
  readonly failure: string | undefined;
}

const [port, host, perSecond] = [Number(process.argv[2]), process.argv[3] ?? '', Number(process.argv[4])];
const agent = new http.Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
const answers: Answered[] = [];
let since = performance.now();
/** When the last one of what is measured was sent. */
let until = since;
let sent = 0;
let pending = 0;

const send = (dueAt: number): void => {
  pending += 1;
  let isOver = false;
  const over = (result: { version?: string; failure?: string }): void => {
    if (isOver) return;
    isOver = true;
    pending -= 1;
    answers.push({ dueAt, ms: performance.now() - dueAt, version: result.version, failure: result.failure });
  };
  const request = http.get({ agent, host: '127.0.0.1', port, path: '/', headers: { host }, timeout: timeoutMs }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (part: string) => (text += part));
    answer.on('error', (error) => over({ failure: error.message }));
    answer.on('end', () => {
      const status = answer.statusCode ?? 0;
      over(status >= 200 && status < 300 ? { version: text } : { failure: `${status} ${text.slice(0, 200)}` });
    });
    answer.on('close', () => over({ failure: 'the answer broke off' }));
  });
  request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  request.on('error', (error) => over({ failure: error.message }));
};

const startedAt = performance.now();
let isOn = true;
let due = 0;
setInterval(() => {
  const now = performance.now();
  if (!isOn) return;
  for (; startedAt + (due * 1000) / perSecond <= now; due += 1) {
    sent += 1;
    send(startedAt + (due * 1000) / perSecond);
  }
}, tickMs);

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const measured = (): Measured => {
  const own = answers.filter(({ dueAt }) => dueAt >= since);
  const sorted = own.map(({ ms }) => ms).toSorted((left, right) => left - right);
  const failed = own.filter(({ failure }) => failure !== undefined).toSorted((left, right) => left.dueAt - right.dueAt);
  const first = own.find(({ version }) => version !== undefined)?.version;
  const changed = own.filter(({ version }) => version !== undefined && version !== first).map(({ dueAt, ms }) => dueAt + ms);
  const failures: Record<string, number> = {};
  for (const { failure = '' } of failed) failures[failure] = (failures[failure] ?? 0) + 1;
  return {
    sent,
    perSecond: (sent / (until - since)) * 1000,
    answered: own.length,
    failed: failed.length,
    failures,
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    maxMs: sorted.at(-1) ?? 0,
    changedAfterMs: changed.length > 0 ? Math.min(...changed) - since : undefined,
    downMs: failed.length > 0 ? (failed.at(-1)?.dueAt ?? 0) - (failed[0]?.dueAt ?? 0) : 0,
  };
};

const begin = (): void => {
  answers.length = 0;
  sent = 0;
  since = performance.now();
};

process.on('message', (order: Order) => {
  if (order === 'begin') {
    begin();
    process.send?.({ order });
    return;
  }
  // What is on its way belongs to what is measured: nothing new is sent until it has come.
  isOn = false;
  until = performance.now();
  const timer = setInterval(() => {
    if (pending > 0) return;
    clearInterval(timer);
    process.send?.({ order, measured: measured() });
    begin();
    due = Math.ceil(((performance.now() - startedAt) * perSecond) / 1000);
    isOn = true;
  }, 1);
});
process.on('disconnect', () => process.exit());
