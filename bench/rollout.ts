/**
 * A push under load: 200 requests a second while a commit becomes a new revision, five times. Says what failed, and how long from the
 * push until the new version answered. Side by side: the same load without a push.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, makeApp, makeTeam, startPlatform, token, type Platform } from './platform.ts';

const perSecond = 200;
const pushes = 5;

interface Load {
  sent: number;
  failed: number;
  readonly latencies: number[];
  isOn: boolean;
}

const load = (platform: Platform, app: string): { state: Load; stop: () => Promise<void> } => {
  const state: Load = { sent: 0, failed: 0, latencies: [], isOn: true };
  const pending = new Set<Promise<void>>();
  const one = async () => {
    const startedAt = performance.now();
    const status = await ask(platform, app);
    state.latencies.push(performance.now() - startedAt);
    if (status !== 200) state.failed += 1;
  };
  const loop = (async () => {
    while (state.isOn) {
      for (let index = 0; index < perSecond / 50; index += 1) {
        state.sent += 1;
        const request = one().finally(() => pending.delete(request));
        pending.add(request);
      }
      await delay(20);
    }
    await Promise.all(pending);
  })();
  return {
    state,
    stop: async () => {
      state.isOn = false;
      await loop;
    },
  };
};

const git = (cwd: string, ...args: string[]): void => {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
  const { status, stderr } = spawnSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.test', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
};

/** Commits a change and pushes it; resolves when a revision of that commit serves. */
const push = async (platform: Platform, folder: string, app: string, index: number): Promise<number> => {
  const file = join(folder, 'README.md');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nPush ${index}\n`);
  git(folder, 'commit', '--quiet', '--all', '--message', `Push ${index}`);
  const startedAt = performance.now();
  git(folder, 'push', '--quiet');
  for (;;) {
    const page = (await platform.call('GET', `/api/v1/apps/${app}/development/services/${app}/revisions?size=5`)) as {
      content: { number: number; isServing: boolean; status: string }[];
    };
    if (page.content.some((item) => item.number === index + 1 && item.isServing && item.status === 'HEALTHY')) break;
    await delay(20);
  }
  return performance.now() - startedAt;
};

const p95 = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

export const run = async (): Promise<void> => {
  const platform = await startPlatform();
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-git-'));
  try {
    await makeTeam(platform);
    await makeApp(platform, 'bench-app');
    git(folder, 'clone', '--quiet', `${platform.url.replace('//', `//bench:${token}@`)}/git/bench-app/bench-app.git`, '.');
    const calm = load(platform, 'bench-app');
    await delay(5000);
    await calm.stop();
    const busy = load(platform, 'bench-app');
    const times: number[] = [];
    for (let index = 1; index <= pushes; index += 1) times.push(await push(platform, folder, 'bench-app', index));
    await delay(1000);
    await busy.stop();
    const row = (name: string, { state }: typeof calm) => ({
      load: name,
      sent: state.sent,
      failed: state.failed,
      p95Ms: Number(p95(state.latencies).toFixed(1)),
    });
    console.table([row('without a push', calm), row(`${pushes} pushes`, busy)]);
    const slower = p95(busy.state.latencies) / Math.max(0.1, p95(calm.state.latencies));
    console.log(
      `rollout: ${busy.state.failed} of ${busy.state.sent} requests failed, push to serving median ${Math.round([...times].sort((a, b) => a - b)[2] ?? 0)} ms, p95 ${slower.toFixed(1)} times that without a push`,
    );
    if (busy.state.failed > 0) process.exitCode = 1;
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
