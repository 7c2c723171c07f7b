// @long: waits for limits, or starts programs
/** Builds that write more than they may, where nobody looks: deep down, in holes, in many small files, in names that are no text. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BuildDirectories } from '@slipway/runtime/builder/build-directories.ts';
import { LocalBuilder } from '@slipway/runtime/builder/local-builder.ts';
import { startRegistry, type RegistryFixture } from '@slipway/registry/registry.fixture.ts';
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import type { Sandbox } from '@slipway/runtime/sandbox/sandbox.ts';
import type { BuiltImage } from '#ports/builder.ts';
import type { Log } from '#ports/log.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
let fixture: RegistryFixture;
let sandbox: Sandbox;
let work = '';
beforeAll(async () => {
  [fixture, sandbox] = await Promise.all([startRegistry(), detectSandbox()]);
  await fixture.registry.projectEnsure('greedy', 'tests');
  work = await mkdtemp(join(tmpdir(), 'build-disk-'));
});
afterAll(async () => {
  await fixture.stop();
  await rm(work, { recursive: true, force: true });
});

const limits = { bytes: 20_000_000, files: 500 };
const DEEP = `for (let level = 0; level < 40; level++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); }`;
const STAY = 'setTimeout(() => {}, 30_000);';
const full = 'BuildTooLarge';
const odd = 'BuildOutputInvalid';

describe.each([
  ['limited', true],
  ['watched', false],
])('where the disk is %s', (_, mayLimitDisk) => {
  let builder: LocalBuilder;
  let dataDir = '';
  let count = 0;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(work, 'builder-'));
    builder = new LocalBuilder({ dataDir, registry: fixture.registry, sandbox, log, isSandboxRequired: false, limits, mayLimitDisk });
    await builder.warm();
    if (mayLimitDisk && isRoot) expect(await builder.diskLimit()).toBe('enforced');
    if (!mayLimitDisk) expect(await builder.diskLimit()).toBe('watched');
  });
  afterAll(() => builder.close());

  const build = (script: string): Promise<BuiltImage> => {
    const files = {
      'package.json': JSON.stringify({ scripts: { start: 'node server.js', build: 'node make.js' } }),
      'server.js': '',
      'make.js': `const fs = require('node:fs');\nconst { execFileSync } = require('node:child_process');\n${script}`,
    };
    return builder.build({
      buildId: `greedy-${(count += 1)}`,
      files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), isExecutable: false })),
      repository: 'greedy/greedy',
      tag: 'v1',
      labels: {},
      onLog: () => undefined,
    });
  };
  const left = (): Promise<string[]> => readdir(join(dataDir, 'builds'));

  test.each([
    [
      'fills the disk at the end of a path that nobody can name',
      `${DEEP} for (let n = 0; n < 9; n++) execFileSync('fallocate', ['-l', '10M', 'f' + n]); ${STAY}`,
      [full, odd],
    ],
    ['makes a path that nobody can name, and little else', DEEP, [odd]],
    ['makes one file too large', `fs.writeFileSync('large', Buffer.alloc(30e6)); ${STAY}`, [full]],
    ['makes one file too large without anybody saying so', `try { fs.writeFileSync('large', Buffer.alloc(30e6)); } catch {}`, [full]],
    [
      'makes files that claim more than they hold',
      `for (let n = 0; n < 9; n++) { fs.writeFileSync('h' + n, ''); fs.truncateSync('h' + n, 5e6); }`,
      [full],
    ],
    ['makes files without end', `for (let n = 0; n < 5000; n++) fs.writeFileSync('f' + n, ''); ${STAY}`, [full]],
    ['makes directories without end', `for (let n = 0; n < 5000; n++) fs.mkdirSync('d' + n); ${STAY}`, [full]],
    [
      'fills its home instead',
      `fs.mkdirSync(process.env.HOME + '/x'); for (let n = 0; n < 9; n++) fs.writeFileSync(process.env.HOME + '/x/' + n, Buffer.alloc(5e6)); ${STAY}`,
      [full],
    ],
    ['makes a name that is no text', `fs.writeFileSync(Buffer.from([0x61, 0xff]), 'x');`, [odd]],
    [
      'locks its directories',
      `fs.mkdirSync('a/b', { recursive: true }); fs.writeFileSync('a/b/c', 'x'); fs.chmodSync('a/b', 0); fs.chmodSync('a', 0);`,
      [],
    ],
  ])('a build that %s leaves nothing', async (_what, script, codes) => {
    const ended = await build(script).then(
      () => undefined,
      (error: unknown) => error as { kind: string; code: string },
    );
    expect(await left()).toEqual([]);
    if (codes.length === 0) expect(ended).toBeUndefined();
    else expect(ended).toMatchObject({ kind: 'rejected', code: expect.toBeOneOf(codes) as string });
  });
});

/** The files that the machine's loop devices show. */
const loopFiles = (): string[] =>
  readdirSync('/sys/block')
    .map((device) => `/sys/block/${device}/loop/backing_file`)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'));
const isMounted = (path: string): boolean => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${path} `);
/** Makes a directory look a minute old, because a sweep leaves new directories alone. */
const makeOld = (directory: string): Promise<void> => utimes(directory, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
const holder = async (directory: string) => {
  await mkdir(directory, { recursive: true });
  const program = fileURLToPath(import.meta.resolve('@slipway/runtime/builder/build-disk.holder.ts'));
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, keeper: Number(said.toString()) };
};

describe.runIf(isRoot)('after kill -9', () => {
  test('a build’s disk goes with the server, and what is left with the next sweep', async (context) => {
    const directory = join(work, 'killed/builds/one');
    const { child, keeper } = await holder(directory);
    if (Number.isNaN(keeper)) return context.skip();
    expect(isMounted(join(directory, 'disk'))).toBe(true);
    const directories = new BuildDirectories({ dataDir: join(work, 'killed'), sandbox, log });
    await makeOld(directory);
    await directories.sweep();
    // Somebody else's, who is alive.
    expect(isMounted(join(directory, 'disk'))).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => isMounted(join(directory, 'disk'))).toBe(false);
    await expect.poll(async () => (await directories.sweep(), readdir(join(work, 'killed/builds')))).toEqual([]);
  });

  test('a disk whose keeper was killed as well is unmounted by the next sweep', async (context) => {
    const directory = join(work, 'both/builds/one');
    const { child, keeper } = await holder(directory);
    if (Number.isNaN(keeper)) return context.skip();
    process.kill(keeper, 'SIGKILL');
    child.kill('SIGKILL');
    await makeOld(directory);
    expect(isMounted(join(directory, 'disk'))).toBe(true);
    const directories = new BuildDirectories({ dataDir: join(work, 'both'), sandbox, log });
    // The keeper may take a moment to die, and with it its lock.
    await expect.poll(async () => (await directories.sweep(), readdir(join(work, 'both/builds')))).toEqual([]);
    expect(isMounted(join(directory, 'disk'))).toBe(false);
    // The kernel lets go of the device when nobody looks any more.
    await expect.poll(loopFiles).not.toContainEqual(expect.stringContaining(directory));
  });
});
