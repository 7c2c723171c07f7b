/** First start on an empty directory, then three later ones, the last after a kill -9; and how soon a service answers again. */
import { setTimeout as delay } from 'node:timers/promises';
import { comparePairs, type BenchOptions, type Sample } from './compare/pairs.ts';
import { ask, makeApp, makeTeam, startPlatform, type Platform } from './platform.ts';

interface Start extends Sample {
  /** From "ready" until the service answered; not of the first start, which has none. */
  readonly serviceMs?: number;
}

const backMs = async (platform: Platform): Promise<number> => {
  const startedAt = performance.now();
  while ((await ask(platform, 'bench-app')) !== 200) await delay(10);
  return performance.now() - startedAt;
};

const startOf = (what: string, { readyMs, readyProcessorMs }: Platform): Start => ({ what, ms: readyMs, processorMs: readyProcessorMs });

const measure = async (root?: string): Promise<readonly Start[]> => {
  let platform = await startPlatform({ ...(root !== undefined && { checkout: root }) });
  const { dataDir } = platform;
  try {
    const starts: Start[] = [startOf('first', platform)];
    await makeTeam(platform);
    await makeApp(platform, 'bench-app');
    for (const [what, signal] of [
      ['after Ctrl-C', 'SIGINT'],
      ['after Ctrl-C again', 'SIGINT'],
      ['after kill -9', 'SIGKILL'],
    ] as const) {
      await platform.stop(signal);
      platform = await startPlatform({ ...(root !== undefined && { checkout: root }), dataDir });
      starts.push({ ...startOf(what, platform), serviceMs: await backMs(platform) });
    }
    return starts;
  } finally {
    await platform.stop();
  }
};

/** A service is back when the platform is and its instance, too: their sum is what a user waits for. */
const withServices = (starts: readonly Start[]): Sample[] =>
  starts.flatMap(({ what, ms, processorMs, serviceMs }) => [
    { what, ms, processorMs },
    ...(serviceMs === undefined ? [] : [{ what: `service ${what}`, ms: ms + serviceMs, processorMs }]),
  ]);

export const run = async ({ against, rounds }: BenchOptions): Promise<void> => {
  if (against !== undefined) return comparePairs('start', { against, rounds }, async (root) => withServices(await measure(root)));
  const rows = (await measure()).map(({ what, ms, serviceMs = 0 }) => ({
    what,
    readyMs: Math.round(ms),
    serviceMs: Math.round(serviceMs),
  }));
  console.table(rows);
  console.log(
    `start: ${rows.map(({ what, readyMs, serviceMs }) => `${what} ${readyMs} ms${serviceMs ? ` (service ${serviceMs} ms later)` : ''}`).join(', ')}`,
  );
};
