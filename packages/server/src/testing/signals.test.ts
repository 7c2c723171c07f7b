// @long: starts, ends and kills programs
/** However `npm start` is ended, the server, its PostgreSQL and its agent end with it, and the next start works. */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { mkdtemp, readFile, readdir, readlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mapLimited } from '#kernel/map-limited.ts';
import { freePort } from '#testing/free-port.ts';
import { leftOf, untilNothingIsLeft } from './storm/left-behind.ts';
import { Program, removeData } from './program.ts';

const root = resolve(import.meta.dirname, '../../../..');
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-signals-'));
});
afterEach(() => removeData(dataDir));

const environment = async () => ({ SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: String(await freePort()) });
const start = async (command: readonly string[]): Promise<Program> =>
  Program.start(await freePort(), await environment(), { command, cwd: root });

const childOf = async ({ pid }: ChildProcess): Promise<number> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
};

const startsAgain = async (): Promise<void> => {
  const program = await start([process.execPath, 'packages/server/src/start.ts']);
  expect(await program.end('SIGTERM')).toBe(0);
  await untilNothingIsLeft(dataDir);
};

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)('%s to npm alone ends everything', async (signal) => {
  const program = await start(['npm', 'start']);
  expect(await leftOf(dataDir)).not.toEqual([]);
  await program.end(signal);
  await untilNothingIsLeft(dataDir);
  await startsAgain();
});

test('a closed terminal ends everything', async () => {
  const program = await start(['script', '--quiet', '--return', '--command', 'npm start', '/dev/null']);
  expect(await leftOf(dataDir)).not.toEqual([]);
  await program.end('SIGKILL');
  await untilNothingIsLeft(dataDir);
  await startsAgain();
});

/** Like a container: the first process of its own list of processes. */
const asFirstProcess = (...command: string[]) => ['unshare', '--pid', '--fork', '--mount-proc', ...command];
const isRoot = process.getuid?.() === 0;

test.runIf(isRoot).each([[['npm', 'start']], [[process.execPath, 'packages/server/src/start.ts']]])(
  'SIGTERM to the first process of a container ends everything in order: %j',
  async (command) => {
    const program = await start(asFirstProcess(...command));
    process.kill(await childOf(program.child), 'SIGTERM');
    await untilNothingIsLeft(dataDir);
    expect(await readFile(join(dataDir, 'pg', 'cluster', 'postmaster.pid'), 'utf8').catch(() => 'none')).toBe('none');
    await startsAgain();
  },
);

/** Part of systemd, which not every machine has. */
const analyze = 'systemd-analyze';
const isSystemd = spawnSync(analyze, ['--version']).status === 0;

/** The shipped unit, as it would be installed from this clone. */
const unit = async (): Promise<string> => (await readFile(join(root, 'deploy/slipway.service'), 'utf8')).replaceAll('/opt/slipway', root);

test.runIf(isSystemd)('systemd finds no fault with the shipped unit', async () => {
  const verify = async (text: string): Promise<string> => {
    const file = join(dataDir, 'slipway.service');
    await writeFile(file, text);
    const { stdout, stderr } = spawnSync(analyze, ['verify', '--man=no', file], { encoding: 'utf8' });
    // Warnings about other units of the machine are not about this one.
    return `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line.includes('slipway'))
      .join('\n');
  };
  expect(await verify(await unit())).toBe('');
  expect(await verify((await unit()).replace('KillMode', 'KilMode'))).toContain('KilMode');
});

/** The environment file that the recipe writes to the unit's EnvironmentFile. */
const recipeEnvironment = async (): Promise<{ readonly path: string; readonly lines: readonly string[] }> => {
  const recipe = await readFile(join(root, 'docs/recipes/run-as-a-service.md'), 'utf8');
  const [, path = '', lines = ''] = /\/dev\/stdin (\S+) <<'END'\n(.*?)\nEND\n/s.exec(recipe) ?? [];
  return { path, lines: lines.split('\n') };
};

const STATE = '/var/lib/slipway';
/** Mounts a directory of the test as the unit's state directory, for this program alone. */
const withState = (state: string, mode: string): readonly string[] => {
  chmodSync(state, Number.parseInt(mode, 8));
  mkdirSync(STATE, { recursive: true });
  return ['unshare', '--mount', '/bin/sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', state, STATE];
};

const mountsOf = (pid: number | string | undefined): Promise<string> => readlink(`/proc/${pid}/ns/mnt`).catch(() => '');

test.runIf(isRoot)(
  'the shipped unit starts a production server with its own settings and those of the recipe, and its stop signal ends it',
  async () => {
    const lines = (await unit()).split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)] as const);
    const settings = new Map(lines);
    const setting = (name: string): string => settings.get(name) ?? '';
    const recipe = await recipeEnvironment();
    expect(setting('EnvironmentFile')).toBe(`-${recipe.path}`);
    expect(setting('KillMode')).toBe('process');
    expect(setting('KillSignal')).toBe('SIGTERM');
    expect(join('/var/lib', setting('StateDirectory'))).toBe(STATE);
    const given = lines.filter(([name]) => name === 'Environment').flatMap(([, values]) => values.split(' '));
    const ports = [`PORT=${await freePort()}`, `SLIPWAY_INGRESS_PORT=${await freePort()}`, 'SLIPWAY_RUNTIME_GRACE_SECONDS=0'];
    const asUser = ['setpriv', `--reuid=${settings.get('User') ?? 'root'}`, '--keep-groups'];
    const program = await start([
      ...withState(dataDir, setting('StateDirectoryMode')),
      ...asUser,
      'env',
      '--ignore-environment',
      `PATH=${process.env['PATH']}`,
      ...given,
      ...recipe.lines,
      ...ports,
      ...setting('ExecStart').split(' '),
    ]);
    const mounts = await mountsOf(program.child.pid);
    expect(mounts).not.toBe(await mountsOf('self'));
    expect(await program.end('SIGTERM')).toBe(0);
    const left = async (): Promise<string[]> => {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      return (await mapLimited(pids, async (pid) => ((await mountsOf(pid)) === mounts ? pid : ''))).filter(Boolean);
    };
    await expect.poll(left).toEqual([]);
  },
);
