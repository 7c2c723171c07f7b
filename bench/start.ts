/** First start on an empty directory, then three later ones, the last after a kill -9; and how soon a service answers again. */
import { setTimeout as delay } from 'node:timers/promises';
import { ask, makeApp, makeTeam, startPlatform, type Platform } from './platform.ts';

const backMs = async (platform: Platform): Promise<number> => {
  const startedAt = performance.now();
  while ((await ask(platform, 'bench-app')) !== 200) await delay(10);
  return performance.now() - startedAt;
};

export const run = async (): Promise<void> => {
  const rows: { start: string; readyMs: number; serviceMs: number }[] = [];
  let platform = await startPlatform();
  const { dataDir } = platform;
  rows.push({ start: 'first', readyMs: Math.round(platform.readyMs), serviceMs: 0 });
  await makeTeam(platform);
  await makeApp(platform, 'bench-app');
  for (const [start, signal] of [
    ['after Ctrl-C', 'SIGINT'],
    ['after Ctrl-C again', 'SIGINT'],
    ['after kill -9', 'SIGKILL'],
  ] as const) {
    await platform.stop(signal);
    platform = await startPlatform({ dataDir });
    rows.push({ start, readyMs: Math.round(platform.readyMs), serviceMs: Math.round(await backMs(platform)) });
  }
  await platform.stop();
  console.table(rows);
  console.log(
    `start: ${rows.map(({ start, readyMs, serviceMs }) => `${start} ${readyMs} ms${serviceMs ? ` (service ${serviceMs} ms later)` : ''}`).join(', ')}`,
  );
};
