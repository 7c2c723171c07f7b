/**
 * Measures how much one service can harm others. It floods its log, the edge, the processor, its memory and its disk, one at a time, and
 * then all together for a minute. Meanwhile another service gets 100 requests a second through the edge, and the API gets 10. Quiet phases
 * measure the same requests without a flood. The edge's p95 may be three times that of the quiet phases, the API's five times.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ask, makeApp, makeTeam, startPlatform, type Platform } from './platform.ts';
import { startLoad, type ConstantLoad, type Measured } from './rollout/constant-load.ts';
import { imagePusher } from './rollout/images.ts';

const perSecond = 100;
const pauseMs = 100;
const quietSeconds = 6;
const floodSeconds = 10;
/** Everything at once lasts a minute. */
const allSeconds = 60;
const [quiet, noisy] = ['bench-quiet', 'bench-noisy'];
const mostAtEdge = 3;
const mostAtApi = 5;

/** Floods in threads of its own, so that it answers its health check meanwhile; begins anew at each request, stops at `/stop`. */
const flooding = (ingressPort: number): string => `const { Worker } = require('node:worker_threads');
const forever = 'for (;;)';
const floods = {
  logs: forever + " require('fs').writeSync(1, 'x'.repeat(2000) + '\\n');",
  processor: forever + ' Math.sqrt(Math.random());',
  memory: 'const held = []; setInterval(() => held.push(Buffer.alloc(8e6, 1)), 20);',
  disk: forever + " try { require('fs').appendFileSync('/tmp/flood', Buffer.alloc(1e6)); } catch { require('fs').rmSync('/tmp/flood', { force: true }); }",
  connections: "setInterval(() => { for (let i = 0; i < 20; i++) { const socket = require('net').connect(${ingressPort}, '127.0.0.1', () => socket.write('GET / HTTP/1.1\\r\\nx: '));" +
    " socket.on('error', () => {}); setTimeout(() => socket.destroy(), 5000); } }, 5);",
};
const running = new Map();
require('node:http').createServer((request, response) => {
  const kind = request.url.slice(1);
  response.end('ok');
  const wanted = kind === 'all' ? Object.keys(floods) : floods[kind] ? [kind] : [];
  for (const name of wanted) if (!running.has(name)) running.set(name, new Worker(floods[name], { eval: true }).on('error', () => running.delete(name)));
  if (kind === 'stop') for (const [name, worker] of running) worker.terminate().then(() => running.delete(name));
}).listen(Number(process.env.PORT));`;

interface Row extends Measured {
  readonly name: string;
  /** How many of the requests to flood the service answered, as `1 of 2`. It may be down after an earlier flood. */
  readonly heard: string;
  readonly apiP95Ms: number;
}

const p95 = (times: readonly number[]): number => times.toSorted((left, right) => left - right)[Math.floor(times.length * 0.95)] ?? 0;

const measure = async (platform: Platform, load: ConstantLoad, name: string, seconds: number, isFlood = false): Promise<Row> => {
  const times: number[] = [];
  let [reported, heard] = [0, 0];
  const measured = await load.during(async () => {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const startedAt = performance.now();
      await platform.call('GET', '/api/v1/apps');
      times.push(performance.now() - startedAt);
      if (isFlood) {
        reported++;
        void ask(platform, noisy, `/${name}`).then((status) => (heard += status === 200 ? 1 : 0));
      }
      await delay(pauseMs);
    }
  });
  return { name, heard: isFlood ? `${heard} of ${reported}` : '', apiP95Ms: p95(times), ...measured };
};

/** It may be down just now, for what it did before. */
const tell = async (platform: Platform, what: string): Promise<void> => {
  for (let attempt = 0; attempt < 100 && (await ask(platform, noisy, `/${what}`)) !== 200; attempt++) await delay(100);
};

const prepare = async (platform: Platform): Promise<void> => {
  await makeTeam(platform);
  for (const app of [quiet, noisy]) await makeApp(platform, app);
  const path = `/api/v1/apps/${noisy}/development/services/${noisy}`;
  const tags = (await platform.call('GET', `${path}/tags`)) as unknown as { tag: string }[];
  const push = await imagePusher(platform, `${noisy}/${noisy}`, tags[0]?.tag ?? '');
  await push('flood', flooding(platform.ingressPort));
  const { pipelineId } = await platform.call('POST', `${path}/deployments`, { imageTag: 'flood' });
  await platform.completed(String(pipelineId));
};

export const run = async (): Promise<void> => {
  const platform = await startPlatform();
  let load: ConstantLoad | undefined;
  try {
    await prepare(platform);
    load = startLoad({ port: platform.ingressPort, host: `${quiet}.${quiet}.development.localhost:${platform.ingressPort}`, perSecond });
    await measure(platform, load, 'warm-up', 3);
    const rows = [await measure(platform, load, 'nothing', quietSeconds)];
    for (const kind of ['logs', 'connections', 'processor', 'memory', 'disk', 'all']) {
      await tell(platform, kind);
      rows.push(await measure(platform, load, kind, kind === 'all' ? allSeconds : floodSeconds, true));
      await tell(platform, 'stop');
    }
    rows.push(await measure(platform, load, 'nothing, again', quietSeconds));
    const calm = rows.filter(({ name }) => name.startsWith('nothing'));
    const base = { edge: Math.max(...calm.map(({ p95Ms }) => p95Ms)), api: Math.max(...calm.map(({ apiP95Ms }) => apiP95Ms)) };
    const times = (value: number, of: number): string => `${value.toFixed(1)} ms × ${(value / Math.max(0.1, of)).toFixed(1)}`;
    console.table(
      rows.map((row) => ({
        'what the neighbour floods': row.name,
        'sent and heard': row.heard,
        requests: row.answered,
        failed: row.failed,
        'edge p95': times(row.p95Ms, base.edge),
        'API p95': times(row.apiP95Ms, base.api),
      })),
    );
    const failed = rows.reduce((sum, row) => sum + row.failed, 0);
    const worst = (values: readonly number[], of: number): number => Math.max(...values) / Math.max(0.1, of);
    const edge = worst(
      rows.map(({ p95Ms }) => p95Ms),
      base.edge,
    );
    const api = worst(
      rows.map(({ apiP95Ms }) => apiP95Ms),
      base.api,
    );
    console.log(
      `neighbours: ${failed} requests failed; p95 at most ${edge.toFixed(1)} times that of the quiet phases at the edge, ${api.toFixed(1)} times at the API`,
    );
    if (failed > 0 || edge > mostAtEdge || api > mostAtApi) process.exitCode = 1;
  } finally {
    load?.stop();
    await platform.stop();
  }
};
