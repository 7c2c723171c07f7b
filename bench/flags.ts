/**
 * Feature flags beside Unleash of npm, in one run: payloads and evaluations per second, memory of the server's process, and the time from
 * a change until the last of 10,000 clients has it. Slipway's clients hold streams. Unleash has none in this edition: its 10,000 clients
 * ask again at once, as fast as it answers, which is the best case of a polling client. The generator is the same for both.
 * BENCH_STREAMS (10000), BENCH_SECONDS (5), BENCH_UNLEASH (a directory that has it installed).
 */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, type BenchOptions } from './compare/pairs.ts';
import type { Order, Report, Target } from './flags/clients.ts';
import { startUnleash } from './flags/unleash.ts';
import { makeTeam, startPlatform } from './platform.ts';

export interface FlagServer {
  readonly name: string;
  readonly pid: number;
  readonly fetch: Target;
  readonly evaluate: Target;
  /** Undefined if the server has no streams. */
  readonly stream: Target | undefined;
  change(): Promise<unknown>;
  stop(): Promise<void>;
}

const port = Number(process.env['BENCH_PORT'] ?? 4700);
const streams = Number(process.env['BENCH_STREAMS'] ?? 10_000);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);
const names = Array.from({ length: 20 }, (_, at) => `flag-${at}`);
const times = 2;

const startSlipway = async (): Promise<FlagServer> => {
  const platform = await startPlatform({ port });
  await makeTeam(platform);
  const { pipelineId } = await platform.call('POST', '/api/team-service/applications/v2', {
    id: 'flags',
    displayName: 'Flags',
    teamId: 'bench',
  });
  await platform.completed(String(pipelineId));
  const app = '/api/v1/apps/flags';
  const rules = (percentage: number) => [{ id: 'share', effect: 'SERVE', value: true, percentage }];
  for (const name of names) {
    await platform.call('POST', `${app}/flags`, { name });
    await platform.call('PUT', `${app}/development/flags/${name}/settings`, { basedOn: 1, rules: rules(50) });
  }
  const key = async (name: string, mode: string) =>
    String((await platform.call('POST', `${app}/development/flag-keys`, { name, mode }))['clientKey']);
  const [plain, remote] = [await key('plain', 'PLAIN'), await key('remote', 'REMOTE')];
  const body = JSON.stringify({ attributes: { id: 'ingrid' } });
  return {
    name: 'Slipway',
    pid: platform.pid,
    fetch: { port, path: `/api/features/${plain}` },
    evaluate: {
      port,
      path: `/api/eval/${remote}`,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
    },
    stream: { port, path: `/sub/${plain}` },
    change: () => platform.call('PUT', `${app}/development/flags/${names[0]}/settings`, { basedOn: 2, rules: rules(60) }),
    stop: () => platform.stop(),
  };
};

const startClients = () => {
  const child = fork(join(import.meta.dirname, 'flags/clients.ts'), { execArgv: [] });
  const next = (): Promise<number> =>
    new Promise((resolve, reject) => {
      child.once('message', ({ figure }: Report) => resolve(figure));
      child.once('exit', () => reject(new Error('The clients ended')));
    });
  return {
    next,
    send: (order: Order | 'go') => {
      const answer = next();
      child.send(order);
      return answer;
    },
    end: () => child.kill('SIGKILL'),
  };
};

const megabytes = (pid: number): number =>
  Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

/** Milliseconds from before the change until the last client has it. */
const spread = async ({ stream, fetch: target, change }: FlagServer): Promise<readonly [ms: number, clients: { end(): unknown }]> => {
  const clients = startClients();
  await clients.send(stream ? { kind: 'open', target: stream, count: streams } : { kind: 'poll', target, count: streams });
  const startedAt = Date.now();
  const last = stream ? clients.next() : clients.send('go');
  await change();
  return [(await last) - startedAt, clients];
};

const measure = async (server: FlagServer) => {
  const load = async (target: Target): Promise<number> => {
    const found: number[] = [];
    for (let at = 0; at < times; at += 1) {
      const clients = startClients();
      found.push(await clients.send({ kind: 'load', target, seconds }));
      clients.end();
    }
    return Math.round(median(found));
  };
  const fetches = await load(server.fetch);
  const evaluations = await load(server.evaluate);
  const [lastMs, clients] = await spread(server);
  const memory = megabytes(server.pid);
  clients.end();
  return { fetches, evaluations, lastMs, memory };
};

export const run = async (_options: BenchOptions): Promise<void> => {
  const found: Record<string, Awaited<ReturnType<typeof measure>>> = {};
  for (const start of [startSlipway, () => startUnleash(port + 5, names)]) {
    const server = await start();
    try {
      found[server.name] = await measure(server);
      console.log(server.name, found[server.name]);
    } finally {
      await server.stop();
    }
  }
  console.table(found);
  const { Slipway: own, Unleash: other } = found;
  if (!own || !other) throw new Error('A server was not measured');
  const ratios = {
    fetches: own.fetches / other.fetches,
    evaluations: own.evaluations / other.evaluations,
    memory: other.memory / own.memory,
    lastMs: other.lastMs / own.lastMs,
  };
  const below = Object.entries(ratios).filter(([, ratio]) => ratio < 2);
  for (const [what, ratio] of Object.entries(ratios)) console.log(`${what}: ${ratio.toFixed(1)} times as good`);
  console.log(below.length === 0 ? '0 below' : `${below.length} below: ${below.map(([what]) => what).join(', ')}`);
};
