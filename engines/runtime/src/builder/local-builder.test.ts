// @long: tries an engine by itself, which the tests of modules use, too
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ImageStore } from '@slipway/images/oci/image-store.ts';
import type { PreparedImage } from '@slipway/images/oci/image-store.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { startRegistry } from '@slipway/registry/registry.fixture.ts';
import type { RegistryFixture } from '@slipway/registry/registry.fixture.ts';
import { detectSandbox } from '../sandbox/detect-sandbox.ts';
import { hostUid } from '../sandbox/host-uid.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { BuildRequest, BuiltImage } from '@slipway/foundation/ports/builder.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';

import { LocalBuilder } from './local-builder.ts';
import type { LocalBuilderOptions } from './local-builder.ts';
import { startPackageRegistry } from './package-registry.fixture.ts';
import type { PackageRegistry } from './package-registry.fixture.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
let fixture: RegistryFixture;
let packages: PackageRegistry;
let sandbox: Sandbox;
let work = '';
let builder: LocalBuilder;
let store: ImageStore;
let count = 0;

const makeBuilder = (changes: Partial<LocalBuilderOptions> = {}): LocalBuilder =>
  new LocalBuilder({
    dataDir: join(work, 'builder'),
    registry: fixture.registry,
    sandbox,
    log: silent,
    isSandboxRequired: true,
    insideHosts: [packages.host],
    ...changes,
  });

beforeAll(async () => {
  [fixture, packages, sandbox] = await Promise.all([startRegistry(), startPackageRegistry(), detectSandbox()]);
  work = await mkdtemp(join(tmpdir(), 'local-builder-'));
  await fixture.registry.projectEnsure('shop', 'tests');
  builder = makeBuilder();
  await builder.warm();
  const client = new OciClient({
    baseUrl: fixture.registry.baseUrl,
    authorize: (repository, actions) => fixture.registry.accessToken(repository, actions),
  });
  store = new ImageStore({ directory: join(work, 'store'), client, log: silent });
});
afterAll(async () => {
  await builder.close();
  await Promise.all([fixture.stop(), packages.stop()]);
  await rm(work, { recursive: true, force: true });
});

type Files = Record<string, string | object>;
interface Outcome {
  readonly image: BuiltImage;
  readonly lines: readonly string[];
}

const build = async (files: Files, changes: Partial<BuildRequest> = {}, by = builder): Promise<Outcome> => {
  const lines: string[] = [];
  const image = await by.build({
    buildId: `test-${(count += 1)}`,
    files: Object.entries(files).map(([path, content]) => ({
      path,
      content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
      isExecutable: path.endsWith('.sh'),
    })),
    repository: 'shop/hello',
    tag: 'v1',
    labels: { 'org.opencontainers.image.revision': 'abc' },
    onLog: (line) => lines.push(line),
    ...changes,
  });
  return { image, lines };
};
const prepared = async (files: Files): Promise<PreparedImage> => store.prepare('shop/hello', (await build(files)).image.digest);
const inApp = ({ rootfs }: PreparedImage, path: string): Promise<string> => readFile(join(rootfs, 'app', path), 'utf8');
const rejected = (code: string) => expect.objectContaining({ name: 'PortFailure', kind: 'rejected', code });

const program = { 'package.json': { name: 'hello', scripts: { start: 'node server.js' } }, 'server.js': 'console.log(process.version)' };
const withPackage = (changes: object = {}): Files => {
  const manifest = {
    name: 'hello',
    version: '1.0.0',
    scripts: { start: 'node server.js' },
    dependencies: { 'tide-table': '1.2.0' },
    ...changes,
  };
  return { 'package.json': manifest, 'package-lock.json': packages.lock(manifest), 'server.js': 'console.log(require("tide-table")())' };
};
const withScript = (make: string): Files => ({
  'package.json': { name: 'hello', scripts: { start: 'node server.js', build: 'node make.js' } },
  'server.js': '',
  'make.js': `const fs = require('node:fs');\n${make}`,
});

/** Runs the built image as the runtime would, and returns its output lines. */
const output = async (image: PreparedImage): Promise<string[]> => {
  const { rootfs, entrypoint, workdir, env } = image;
  const id = `test-run-${process.pid}-${(count += 1)}`;
  const running = sandbox.spawn({ id, rootfs, binds: [], command: entrypoint, cwd: workdir, env, uid: hostUid(id) });
  running.child.stderr.resume();
  const lines: string[] = [];
  for await (const line of createInterface(running.child.stdout)) lines.push(line);
  expect(await running.exited).toMatchObject({ code: 0 });
  return lines;
};

describe('a program without dependencies', () => {
  test('becomes an image that runs on the Node of the base layer', async () => {
    const image = await prepared(program);
    expect(image).toMatchObject({ entrypoint: ['/usr/local/bin/node', 'server.js'], workdir: '/app', user: '1000' });
    expect(image.env).toMatchObject({ NODE_ENV: 'production' });
    expect(await output(image)).toEqual([process.version]);
  });

  test('gives the same image every time, and another one for another source', async () => {
    const first = await build(program);
    expect((await build(program, { repository: 'shop/other', tag: 'v9' })).image).toEqual(first.image);
    expect((await build({ ...program, 'server.js': 'other' })).image.digest).not.toBe(first.image.digest);
    expect((await build(program, { labels: {} })).image.digest).not.toBe(first.image.digest);
  });

  test('is tagged in the registry and sends kilobytes, not the base layer', async () => {
    const { image, lines } = await build(program, { repository: 'shop/tagged', tag: '2026.11.20-abc1234' });
    const stored = await fixture.registry.image('shop/tagged', '2026.11.20-abc1234');
    expect(stored).toMatchObject({ digest: image.digest, sizeBytes: image.sizeBytes });
    expect(image.sizeBytes).toBeGreaterThan(50_000_000);
    expect(lines).toEqual([
      expect.stringMatching(/^Source: 2 files, \d+ B\.$/),
      'Start command: node server.js',
      'Dependencies: none to install.',
      expect.stringMatching(/^App layer: 2 files, \d+ B compressed\.$/),
      expect.stringMatching(/^Base layer: Node 24\.\d+\.\d+, 1\d\d MB, shared with every image\.$/),
      expect.stringMatching(/^Pushed .+\/shop\/tagged:2026\.11\.20-abc1234: (\d+ B|\d\.\d kB) sent in \d+ ms\.$/),
      expect.stringMatching(/^Built and pushed in .+: sha256:/),
    ]);
  });

  test('may hold a syntax error: that is for its pipeline to find out', async () => {
    await expect(build({ 'index.js': 'const = (' })).resolves.toBeDefined();
  });

  test('leaves nothing behind on this machine', async () => {
    await build(program);
    expect(await readdir(join(work, 'builder/builds'))).toEqual([]);
  });
});

describe('dependencies', () => {
  test('are installed in a layer of their own, without their install scripts', async () => {
    const { image, lines } = await build(withPackage());
    const root = await store.prepare('shop/hello', image.digest);
    expect(await output(root)).toEqual(['high water']);
    expect(await readdir(join(root.rootfs, 'app/node_modules/tide-table'))).toEqual(['cli.js', 'index.js', 'package.json']);
    expect((await stat(join(root.rootfs, 'app/node_modules/.bin/tide-table'))).mode & 0o111).toBe(0o111);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}added 1 package/));
  });

  test('that did not change are not installed again', async () => {
    const first = await build(withPackage({ description: 'kept' }));
    const asked = packages.requests();
    const second = await build(withPackage({ description: 'kept' }));
    expect(second.lines).toContainEqual(expect.stringMatching(/^Dependencies: unchanged since the last build/));
    expect(second.image).toEqual(first.image);
    const third = await build({ ...withPackage({ description: 'kept' }), 'server.js': 'changed' });
    expect(third.image.digest).not.toBe(first.image.digest);
    expect(packages.requests()).toBe(asked);
    // Another repository must install again.
    expect((await build(withPackage({ description: 'kept' }), { repository: 'shop/second' })).image).toEqual(first.image);
    expect(packages.requests()).toBeGreaterThan(asked);
  });

  test('that are not to be had fail with npm’s own words', async () => {
    const files = withPackage();
    const gone = JSON.stringify(files['package-lock.json']).replace('tide-table-1.2.0.tgz', 'gone.tgz');
    const lines: string[] = [];
    const building = build({ ...files, 'package-lock.json': gone }, { onLog: (line) => lines.push(line) });
    await expect(building).rejects.toMatchObject({
      kind: 'rejected',
      code: 'BuildDependenciesFailed',
      context: { reason: expect.stringMatching(/^npm ci ended with code 1: Not Found - GET /) },
    });
    expect(lines.join('\n')).toContain('npm error code E404');
  });

  test('are there for the build script, and the development ones are gone afterwards', async () => {
    const manifest = {
      scripts: { start: 'node server.js', build: 'tide-table > built.txt' },
      dependencies: {},
      devDependencies: { 'tide-table': '1.2.0' },
    };
    const root = await prepared(withPackage(manifest));
    expect(await inApp(root, 'built.txt')).toBe('high water\n');
    expect(await readdir(join(root.rootfs, 'app/node_modules')).catch(() => [])).not.toContain('tide-table');
  });
});

describe('a build script', () => {
  test('sees neither the server’s files, environment nor rights', async () => {
    await mkdir(join(work, 'keys'), { recursive: true });
    await writeFile(join(work, 'keys/platform.key'), 'the key');
    process.env['SLIPWAY_TEST_SECRET'] = 'the secret';
    const probe = `
      const tried = (what) => { try { return what(); } catch (error) { return error.code; } };
      fs.writeFileSync('seen.json', JSON.stringify({
        env: process.env,
        key: tried(() => fs.readFileSync(${JSON.stringify(join(work, 'keys/platform.key'))}, 'utf8')),
        shadow: tried(() => fs.readFileSync('/etc/shadow', 'utf8')),
        processes: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => tried(() => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'))),
        uid: process.getuid(),
        write: tried(() => fs.writeFileSync('/usr/bin/x', '')),
      }));`;
    const seen = JSON.parse(await inApp(await prepared(withScript(probe)), 'seen.json')) as Record<string, unknown>;
    delete process.env['SLIPWAY_TEST_SECRET'];
    expect(JSON.stringify(seen)).not.toMatch(/the secret|the key|vitest/);
    expect(seen['env']).not.toHaveProperty('SLIPWAY_TEST_SECRET');
    expect(seen['key']).toBe('ENOENT');
    expect(seen['shadow']).toBe('ENOENT');
    expect(seen['uid']).not.toBe(0);
    expect(['EROFS', 'EACCES', 'EPERM']).toContain(seen['write']);
  });

  test('that fails says so, with its output in the log', async () => {
    const lines: string[] = [];
    const building = build(withScript('console.log("half way"); console.error("no wind"); process.exit(3)'), {
      onLog: (line) => lines.push(line),
    });
    await expect(building).rejects.toMatchObject({
      code: 'BuildScriptFailed',
      context: { reason: 'npm run build ended with code 3: no wind' },
    });
    expect(lines).toEqual(expect.arrayContaining(['  half way', '  no wind']));
  });

  test('cannot smuggle the machine’s files into the image by links', async () => {
    const absolute = await prepared(withScript('fs.symlinkSync("/etc/hostname", "stolen")'));
    // The link is not followed: inside the image it refers to the image's own file, which does not exist.
    expect(await readdir(join(absolute.rootfs, 'etc'))).not.toContain('hostname');
    await expect(build(withScript('fs.symlinkSync("../../../etc/hostname", "stolen")'))).rejects.toEqual(rejected('BuildOutputInvalid'));
  });

  test('ends at its limits of time and size', async () => {
    const hurried = makeBuilder({ limits: { timeMs: 1500 } });
    await expect(build(withScript('setInterval(() => {}, 1000)'), {}, hurried)).rejects.toEqual(rejected('BuildTimeout'));
    const small = makeBuilder({ limits: { bytes: 1_000_000 } });
    await expect(build(withScript('fs.writeFileSync("large", Buffer.alloc(2e6))'), {}, small)).rejects.toEqual(rejected('BuildTooLarge'));
  });

  test('ends when the build is cancelled, and when the builder closes', async () => {
    const running = 'console.log("running"); setInterval(() => {}, 1000)';
    const cancel = new AbortController();
    const onLog = (line: string): void => (line === '  running' ? cancel.abort(new Error('cancelled by a person')) : undefined);
    await expect(build(withScript(running), { onLog, signal: cancel.signal })).rejects.toThrow('cancelled by a person');
    const closing = makeBuilder();
    const started = Promise.withResolvers<void>();
    const building = build(withScript(running), { onLog: (line) => (line === '  running' ? started.resolve() : undefined) }, closing);
    await started.promise;
    await Promise.all([expect(building).rejects.toThrow('the builder closes'), closing.close()]);
  });
});

test('without a sandbox, foreign code is refused where one is required', async () => {
  const host = await detectSandbox({ only: 'host' });
  const strict = makeBuilder({ sandbox: host });
  await expect(build(withScript(''), {}, strict)).rejects.toEqual(rejected('BuildSandboxRequired'));
  await expect(build(withPackage(), {}, strict)).rejects.toEqual(rejected('BuildSandboxRequired'));
  await expect(build(program, {}, strict)).resolves.toBeDefined();
});

test('a registry that is down is unavailable, and the next try starts afresh', async () => {
  const down = await startRegistry();
  const other = makeBuilder({ dataDir: join(work, 'other'), registry: down.registry });
  await down.stop();
  await expect(build(program, {}, other)).rejects.toMatchObject({ kind: 'unavailable' });
  await other.close();
});

test('a second server finds the base layer ready', async () => {
  const again = makeBuilder();
  const startedAt = performance.now();
  await again.warm();
  expect(performance.now() - startedAt).toBeLessThan(1000);
  const base = await again.baseImage();
  expect(await fixture.registry.image(base.repository, base.digest)).toBeDefined();
});
