/** However `npm start` is ended, the server, its PostgreSQL and its agent end with it, and the next start works. */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from './app.ts';
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
const unit = async (): Promise<string> =>
  (await readFile(join(root, 'deploy/slipway.service'), 'utf8')).replaceAll('/opt/slipway', root).replace('User=slipway\n', '');

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

test('the shipped unit starts the server, and its stop signal ends the server', async () => {
  const settings = new Map((await unit()).split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)] as const));
  expect(settings.get('KillMode')).toBe('process');
  expect(settings.get('KillSignal')).toBe('SIGTERM');
  const program = await start((settings.get('ExecStart') ?? '').split(' '));
  expect(await program.end('SIGTERM')).toBe(0);
  await untilNothingIsLeft(dataDir);
});
