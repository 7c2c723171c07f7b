/**
 * The collector under load: 5,000 payloads a second of four apps for a minute, none of which may be lost, and then a flood by one app beside a
 * calm one. BENCH_COLLECT_RATE and BENCH_COLLECT_SECONDS make it smaller.
 */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { makeTeam, startPlatform, type Platform } from './platform.ts';

const RATE = Number(process.env['BENCH_COLLECT_RATE'] ?? 5000);
const SECONDS = Number(process.env['BENCH_COLLECT_SECONDS'] ?? 60);
const APPS = 4;
const TICK_MS = 20;
/** The server limits requests per client address. Loopback has many. */
const ADDRESSES = 8;
const CALM = 'calm';
const limits = { ratePercent: 98, lost: 0, memoryMegabytes: 350, calmPercent: 100, calmP95Ms: 500 };

interface Monitor {
  readonly name: string;
  readonly appKey: string;
  readonly apiKey: string;
}
interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: number;
}

const agentAt = (index: number): http.Agent => new http.Agent({ keepAlive: true, maxSockets: 128, localAddress: `127.0.0.${index + 10}` });
const agents = Array.from({ length: ADDRESSES }, (_, index) => agentAt(index));
/** The calm app has connections of its own, as other browsers have. On those of the flood its payloads would wait before they are sent. */
const calmAgent = agentAt(ADDRESSES);
let serial = 0;
const bodyOf = (): string => {
  serial += 1;
  const timestamp = new Date().toISOString();
  return JSON.stringify({
    meta: {
      app: { name: 'bench', version: '1.0' },
      session: { id: `bench-${serial % 5000}` },
      page: { url: `https://bench.example.com/page-${'abcdefgh'[serial % 8]}` },
      browser: { name: 'Chrome', version: '156', os: 'Linux' },
    },
    measurements: [{ type: 'web-vitals', values: { lcp: 500 + (serial % 4000) }, timestamp }],
    events: [{ name: 'faro.performance.navigation', timestamp }],
  });
};
const send = (platform: Platform, { name, appKey, apiKey }: Monitor): Promise<Answer> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const { hostname, port } = new URL(platform.url);
    const body = bodyOf();
    const done = (status: number, retryAfter = 0): void => resolve({ status, ms: performance.now() - startedAt, retryAfter });
    const headers = {
      host: `${hostname}:${port}`,
      'x-api-key': apiKey,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    http
      .request(
        {
          host: '127.0.0.1',
          port,
          path: `/collect/${appKey}`,
          method: 'POST',
          headers,
          agent: name === CALM ? calmAgent : agents[serial % ADDRESSES],
        },
        (answer) => {
          answer.resume().on('end', () => done(answer.statusCode ?? 0, Number(answer.headers['retry-after'] ?? 0)));
        },
      )
      .on('error', () => done(0))
      .end(body);
  });

/** Sends at a steady rate, and tries a payload again that was asked to wait. Returns the answers of first tries and how many were stored. */
const load = async (platform: Platform, monitors: readonly Monitor[], rate: number, seconds: number) => {
  const answers: Promise<Answer[]>[] = [];
  const one = async (monitor: Monitor): Promise<Answer[]> => {
    const tries: Answer[] = [];
    for (;;) {
      const answer = await send(platform, monitor);
      tries.push(answer);
      if (answer.status !== 429 || tries.length > 10) return tries;
      await delay(answer.retryAfter * 1000);
    }
  };
  const startedAt = performance.now();
  for (let sent = 0; sent < rate * seconds;) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - startedAt) / 1000) * rate));
    for (; sent < due; sent++) answers.push(one(monitors[sent % monitors.length] as Monitor));
    await delay(TICK_MS);
  }
  const all = await Promise.all(answers);
  const tookSeconds = (performance.now() - startedAt) / 1000;
  const stored = all.filter((tries) => tries.at(-1)?.status === 202).length;
  return { sent: all.length, stored, waited: all.filter((tries) => tries.length > 1).length, tookSeconds, all };
};

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;

interface Vitals {
  readonly vitals: readonly { readonly good: number; readonly needsImprovement: number; readonly poor: number }[];
}
/** Samples that the page of a monitor counts, once the counts are added up. */
const counted = async (platform: Platform, monitors: readonly Monitor[]): Promise<number> => {
  let total = 0;
  for (const { name } of monitors) {
    const read = (await platform.call('GET', `/api/v1/apps/bench-app/development/monitors/${name}/vitals`)) as unknown as Vitals;
    const [lcp] = read.vitals;
    total += lcp ? lcp.good + lcp.needsImprovement + lcp.poor : 0;
  }
  return total;
};

export const run = async (): Promise<void> => {
  const platform = await startPlatform();
  const below: string[] = [];
  const check = (what: string, isGood: boolean): void => void (isGood || below.push(what));
  try {
    await makeTeam(platform);
    const made = await platform.call('POST', '/api/team-service/applications/v2', {
      id: 'bench-app',
      displayName: 'Bench',
      teamId: 'bench',
    });
    await platform.completed(String(made['pipelineId']));
    const make = (name: string): Promise<Monitor> =>
      platform.call('POST', '/api/v1/apps/bench-app/development/monitors', { name, allowedOrigins: ['*'] }) as unknown as Promise<Monitor>;
    const monitors: Monitor[] = [];
    for (let index = 0; index < APPS; index++) monitors.push(await make(`app-${'abcd'[index]}`));
    await load(platform, monitors, 200, 2);
    const before = residentMegabytes(platform.pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, residentMegabytes(platform.pid))), 500);
    const already = 400;
    const steady = await load(platform, monitors, RATE, SECONDS);
    clearInterval(watch);
    let seen = 0;
    for (let turn = 0; turn < 60 && seen < steady.stored + already; turn++) {
      await delay(1000);
      seen = await counted(platform, monitors);
    }
    const rate = steady.stored / steady.tookSeconds;
    const lost = steady.stored + already - seen;
    const startedAt = performance.now();
    await platform.call('GET', '/api/v1/apps/bench-app/development/monitors/app-a/vitals?range=7d');
    const readMs = performance.now() - startedAt;

    const [flooding, calm] = [await make('flooding'), await make(CALM)];
    const [flood, quiet] = await Promise.all([load(platform, [flooding], RATE, 10), load(platform, [calm], 50, 10)]);
    const calmTimes = quiet.all.flatMap(([first]) => (first ? [first.ms] : []));
    const calmStored = (quiet.all.filter(([first]) => first?.status === 202).length / quiet.sent) * 100;
    console.table([
      { what: 'payloads a second', value: Math.round(rate), limit: Math.round((RATE * limits.ratePercent) / 100) },
      { what: 'sent', value: steady.sent, limit: '' },
      { what: 'acknowledged', value: steady.stored, limit: steady.sent },
      { what: 'acknowledged and not counted', value: lost, limit: limits.lost },
      { what: 'asked to wait', value: steady.waited, limit: '' },
      { what: 'p95 ms', value: Math.round(p95(steady.all.flatMap(([first]) => (first ? [first.ms] : [])))), limit: '' },
      { what: 'more memory, MB', value: Math.round(most - before), limit: limits.memoryMegabytes },
      { what: 'page of 7 days, ms', value: Math.round(readMs), limit: '' },
      { what: 'flood: asked to wait, of first tries', value: flood.waited, limit: '' },
      { what: 'calm app: stored at once, %', value: Math.round(calmStored), limit: limits.calmPercent },
      { what: 'calm app: p95 ms', value: Math.round(p95(calmTimes)), limit: limits.calmP95Ms },
    ]);
    check('rate', rate >= (RATE * limits.ratePercent) / 100);
    check('acknowledged', steady.stored === steady.sent);
    check('lost', lost === limits.lost);
    check('memory', most - before <= limits.memoryMegabytes);
    check('flood', flood.waited > 0);
    check('calm app', calmStored >= limits.calmPercent);
    check('calm app p95', p95(calmTimes) <= limits.calmP95Ms);
    console.log(`collect: ${Math.round(rate)} payloads a second, ${below.length} below${below.length > 0 ? `: ${below.join(', ')}` : ''}`);
    if (below.length > 0) process.exitCode = 1;
  } finally {
    await platform.stop();
  }
};
