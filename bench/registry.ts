/**
 * Push and pull beside Debian's docker-registry on the same machine: 1, 4 and 16 clients, images of one layer of 1 MB and of 200 MB. Both are
 * measured in each round, in turns first, and medians are compared. Without docker-registry it says so and ends.
 * BENCH_LARGE_MB (200) makes the large layer smaller.
 */
import { accessSync, constants, rmSync } from 'node:fs';
import type { BenchOptions } from './compare/pairs.ts';
import { median } from './compare/pairs.ts';
import { startPlatform } from './platform.ts';
import { layerOf, pullImage, pushImage, type Layer, type Target } from './registry/client.ts';
import { debianRegistry, residentMegabytes, slipwayRegistry, type RegistryServer } from './registry/servers.ts';

const MB = 1024 ** 2;
const largeMegabytes = Number(process.env['BENCH_LARGE_MB'] ?? 200);
const clients = [1, 4, 16];
/** Small images are pushed so many at a time for each client, so that the clock has something to measure. */
const repeats = { small: 10, large: 1 };
const program = '/usr/bin/docker-registry';
const sampleMs = 50;

interface Sample {
  readonly pushMs: number;
  readonly pullMs: number;
  readonly peakMegabytes: number;
}
interface Case {
  readonly name: string;
  readonly clients: number;
  readonly layer: Layer;
  readonly times: number;
}

const isThere = (): boolean => {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

/** Each client has a repository of its own, and every image a layer that was never there. */
const measure = async (server: RegistryServer, one: Case): Promise<Sample> => {
  const targets: Target[] = [];
  for (let client = 0; client < one.clients; client += 1) targets.push(await server.target(client));
  let peak = 0;
  const sampling = setInterval(() => (peak = Math.max(peak, residentMegabytes(server.pid))), sampleMs);
  const images = new Map<Target, Awaited<ReturnType<typeof pushImage>>[]>();
  const push = async (target: Target): Promise<void> => {
    const pushed = [];
    for (let time = 0; time < one.times; time += 1) pushed.push(await pushImage(target, one.layer, `t${time}`));
    images.set(target, pushed);
  };
  const pull = async (target: Target): Promise<void> => {
    for (const image of images.get(target) ?? []) await pullImage(target, image);
  };
  try {
    const pushMs = await timed(() => Promise.all(targets.map(push)));
    const pullMs = await timed(() => Promise.all(targets.map(pull)));
    return { pushMs, pullMs, peakMegabytes: peak };
  } finally {
    clearInterval(sampling);
    for (const target of targets) target.agent.destroy();
  }
};

export const run = async ({ rounds }: BenchOptions): Promise<void> => {
  if (!isThere()) {
    console.log(`registry: NOT MEASURED: there is no ${program} to compare with (apt-get install docker-registry)`);
    return;
  }
  const platform = await startPlatform();
  const debian = await debianRegistry(program, Number(process.env['BENCH_PORT'] ?? 4700) + 90);
  try {
    const servers = [await slipwayRegistry(platform), debian];
    const idle = servers.map(({ pid }) => residentMegabytes(pid));
    const layers = { small: layerOf(MB), large: layerOf(largeMegabytes * MB) };
    const cases = (['small', 'large'] as const).flatMap((size) =>
      clients.map((count): Case => ({
        name: `${size === 'small' ? 1 : largeMegabytes} MB × ${count}`,
        clients: count,
        layer: layers[size],
        times: repeats[size],
      })),
    );
    const samples = new Map(servers.map((server) => [server, new Map<Case, Sample[]>(cases.map((one) => [one, []]))]));
    // What is compiled and opened at the first request is another matter.
    for (const server of servers) await measure(server, { name: 'warm-up', clients: 4, layer: layers.small, times: 5 });
    for (let round = 0; round < rounds; round += 1) {
      for (const one of cases) {
        const order = round % 2 === 0 ? servers : servers.toReversed();
        for (const server of order)
          samples
            .get(server)
            ?.get(one)
            ?.push(await measure(server, one));
      }
      console.log(`round ${round + 1} of ${rounds}`);
    }
    const of = (server: RegistryServer | undefined, one: Case, figure: keyof Sample): number =>
      median((server && samples.get(server)?.get(one))?.map((sample) => sample[figure]) ?? []);
    const [ours, theirs] = servers;
    const ratio = (one: Case, figure: 'pushMs' | 'pullMs'): string => (of(ours, one, figure) / of(theirs, one, figure)).toFixed(2);
    console.table(
      cases.map((one) => ({
        'layer × clients': one.name,
        'push (ms)': Math.round(of(ours, one, 'pushMs')),
        'docker-registry (ms)': Math.round(of(theirs, one, 'pushMs')),
        'push ratio': ratio(one, 'pushMs'),
        'pull (ms)': Math.round(of(ours, one, 'pullMs')),
        'docker-registry (ms) ': Math.round(of(theirs, one, 'pullMs')),
        'pull ratio': ratio(one, 'pullMs'),
        'memory (MB)': Math.round(of(ours, one, 'peakMegabytes')),
        'docker-registry (MB)': Math.round(of(theirs, one, 'peakMegabytes')),
      })),
    );
    console.log(
      `registry (medians of ${rounds}, below 1 is faster than docker-registry): ` +
        cases.map((one) => `${one.name} push ${ratio(one, 'pushMs')} pull ${ratio(one, 'pullMs')}`).join('; ') +
        `; idle ${idle.map(Math.round).join(' and ')} MB`,
    );
  } finally {
    await debian.stop();
    await platform.stop();
    rmSync(platform.dataDir, { recursive: true, force: true });
  }
};
