/**
 * 500 requests a second on a service of two instances while it is deployed with each strategy, enabled, rolled back, scaled, pushed to
 * and given revisions that do not work. Side by side: the same load while nothing happens. Only RECREATE may fail requests.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeApp, makeTeam, startPlatform, token, type Platform } from './platform.ts';
import { startLoad, type ConstantLoad, type Measured } from './rollout/constant-load.ts';
import { crashing, imagePusher, serving, unhealthy, wrongPort } from './rollout/images.ts';

const perSecond = 500;
const quietSeconds = 10;
const warmUpSeconds = 2;
const rounds = [1, 2, 3];
const app = 'bench-app';
const path = `/api/v1/apps/${app}/development/services/${app}`;

interface Spec {
  rollout: { strategy: string };
  template: { replicaScaling: { scalingType: string; count: number } };
}
interface Service {
  githubRepositoryName: string | null;
  active: boolean;
  spec: Spec;
  status: { serving: string; replicasReady: number };
}
interface Run {
  status: { state: string };
  statusMessage: string | null;
}
interface Row extends Measured {
  readonly name: string;
  readonly mayFail: boolean;
  /** From the request until the platform said that it was done. */
  readonly doneSeconds: number | undefined;
}

/** Performs the actions under load. Its methods use the platform's own terms. */
class Actions {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async service(): Promise<Service> {
    return (await this.#platform.call('GET', path)) as unknown as Service;
  }

  /** Answers how the run ended. */
  async run(method: string, where: string, body: unknown): Promise<string> {
    const { pipelineId } = await this.#platform.call(method, where, body);
    for (;;) {
      const { status } = (await this.#platform.call('GET', `/api/v1/pipelines/${String(pipelineId)}`)) as unknown as Run;
      if (['COMPLETED', 'FAILED', 'CANCELED'].includes(status.state)) return status.state;
      await delay(50);
    }
  }

  async completed(method: string, where: string, body: unknown): Promise<void> {
    const outcome = await this.run(method, where, body);
    if (outcome !== 'COMPLETED') throw new Error(`${method} ${where} ended ${outcome}`);
  }

  deploy = (imageTag: string): Promise<void> => this.completed('POST', `${path}/deployments`, { imageTag });

  async refused(imageTag: string): Promise<void> {
    const outcome = await this.run('POST', `${path}/deployments`, { imageTag });
    if (outcome !== 'FAILED') throw new Error(`The revision of ${imageTag} was not refused: ${outcome}`);
  }

  async settings(change: (spec: Spec) => void): Promise<void> {
    const { githubRepositoryName, active, spec } = await this.service();
    const before = JSON.stringify(spec);
    change(spec);
    if (JSON.stringify(spec) === before) return;
    await this.completed('PUT', path, { githubRepositoryName, active, spec });
  }

  enable = (revision: string): Promise<void> => this.completed('PUT', `${path}/revisions/${revision}/activation`, { enabled: true });

  useStrategy = (strategy: string): Promise<void> => this.settings((spec) => void (spec.rollout.strategy = strategy));
  scale = (count: number): Promise<void> => this.settings((spec) => void (spec.template.replicaScaling.count = count));
}

const git = (cwd: string, ...args: string[]): void => {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
  const { status, stderr } = spawnSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.test', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
};

/** Commits a change and pushes it; resolves when its revision serves. */
const push = async (actions: Actions, folder: string): Promise<void> => {
  const before = (await actions.service()).status.serving;
  const file = join(folder, 'README.md');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nPushed\n`);
  git(folder, 'commit', '--quiet', '--all', '--message', 'Push');
  git(folder, 'push', '--quiet');
  while ((await actions.service()).status.serving === before) await delay(50);
};

class Table {
  readonly rows: Row[] = [];
  readonly #load: ConstantLoad;

  constructor(load: ConstantLoad) {
    this.#load = load;
  }

  /** With a second behind it, for what happens to requests while the old instances go. */
  async add(name: string, work: () => Promise<unknown>, { mayFail = false, isQuiet = false } = {}): Promise<void> {
    let doneSeconds: number | undefined;
    const measured = await this.#load.during(async () => {
      const startedAt = performance.now();
      await work();
      if (!isQuiet) doneSeconds = (performance.now() - startedAt) / 1000;
      await delay(1000);
    });
    this.rows.push({ name, mayFail, doneSeconds, ...measured });
    for (const [failure, count] of Object.entries(measured.failures)) console.log(`${name}: ${count} × ${failure}`);
  }

  /** The quieter of the quiet phases: in the other one the machine had something else to do. */
  quiet(): { p50Ms: number; p95Ms: number } {
    const rows = this.rows.filter(({ doneSeconds }) => doneSeconds === undefined);
    return { p50Ms: Math.min(...rows.map(({ p50Ms }) => p50Ms)), p95Ms: Math.min(...rows.map(({ p95Ms }) => p95Ms)) };
  }

  print(): void {
    const quiet = this.quiet();
    const ratio = (value: number, base: number) => `× ${(value / Math.max(0.1, base)).toFixed(1)}`;
    console.table(
      this.rows.map((row) => ({
        'what happened': row.name,
        requests: row.answered,
        'a second': Math.round(row.perSecond),
        failed: row.failed,
        p50: `${row.p50Ms.toFixed(1)} ms ${ratio(row.p50Ms, quiet.p50Ms)}`,
        p95: `${row.p95Ms.toFixed(1)} ms ${ratio(row.p95Ms, quiet.p95Ms)}`,
        'serving after': row.changedAfterMs === undefined ? '' : `${(row.changedAfterMs / 1000).toFixed(1)} s`,
        'done after': row.doneSeconds === undefined ? '' : `${row.doneSeconds.toFixed(1)} s`,
      })),
    );
  }
}

const measure = async (actions: Actions, table: Table, folder: string): Promise<void> => {
  await table.add('nothing', () => delay(quietSeconds * 1000), { isQuiet: true });
  await actions.useStrategy('RED_BLACK');
  const first = (await actions.service()).status.serving;
  for (const round of rounds) {
    await table.add(`RED_BLACK deploy ${round}`, () => actions.deploy('two'));
    await table.add(`older revision enabled ${round}`, () => actions.enable(first));
  }
  await actions.useStrategy('ROLLING_UPDATE');
  for (const round of rounds) await table.add(`ROLLING_UPDATE deploy ${round}`, () => actions.deploy(round % 2 ? 'two' : 'one'));
  await table.add('rollback', () => actions.completed('POST', `${path}/rollbacks`, { revision: first, reason: 'The bench goes back' }));
  await table.add('scaled 2 → 4', () => actions.scale(4));
  await table.add('scaled 4 → 1', () => actions.scale(1));
  await table.add('scaled 1 → 2', () => actions.scale(2));
  await table.add('refused: it crashes', () => actions.refused('crash'));
  await table.add('refused: wrong port', () => actions.refused('port'));
  await table.add('refused: never healthy', () => actions.refused('unhealthy'));
  await table.add('commit pushed', () => push(actions, folder));
  await actions.useStrategy('RECREATE');
  await table.add('RECREATE deploy', () => actions.deploy('one'), { mayFail: true });
  await table.add('nothing, again', () => delay(quietSeconds * 1000), { isQuiet: true });
};

const prepare = async (platform: Platform, actions: Actions, folder: string): Promise<void> => {
  await makeTeam(platform);
  await makeApp(platform, app);
  git(folder, 'clone', '--quiet', `${platform.url.replace('//', `//bench:${token}@`)}/git/${app}/${app}.git`, '.');
  const tags = (await platform.call('GET', `${path}/tags`)) as unknown as { tag: string }[];
  const image = await imagePusher(platform, `${app}/${app}`, tags[0]?.tag ?? '');
  const programs = { one: serving('one'), two: serving('two'), crash: crashing, port: wrongPort, unhealthy };
  for (const [tag, program] of Object.entries(programs)) await image(tag, program);
  await actions.scale(2);
  await actions.deploy('one');
};

export const run = async (): Promise<void> => {
  const platform = await startPlatform();
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-git-'));
  const host = `${app}.${app}.development.localhost:${platform.ingressPort}`;
  let load: ConstantLoad | undefined;
  try {
    const actions = new Actions(platform);
    await prepare(platform, actions, folder);
    load = startLoad({ port: platform.ingressPort, host, perSecond });
    await load.during(() => delay(warmUpSeconds * 1000));
    const table = new Table(load);
    await measure(actions, table, folder);
    table.print();
    const strict = table.rows.filter(({ mayFail }) => !mayFail);
    const failed = strict.reduce((sum, row) => sum + row.failed, 0);
    const requests = strict.reduce((sum, row) => sum + row.answered, 0);
    const slowest = Math.min(...table.rows.map((row) => row.perSecond));
    const down = table.rows.find(({ mayFail }) => mayFail);
    const worst = Math.max(...strict.map((row) => row.p95Ms)) / Math.max(0.1, table.quiet().p95Ms);
    console.log(
      `rollout: ${failed} of ${requests} requests failed at ${Math.floor(slowest)} a second or more, p95 at most ${worst.toFixed(1)} times that of the quiet phase; RECREATE was down for ${((down?.downMs ?? 0) / 1000).toFixed(1)} s`,
    );
    if (failed > 0) process.exitCode = 1;
  } finally {
    load?.stop();
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
