/**
 * Tests the registry with common client tools. Each tool logs in with a robot account, pushes, pulls and lists. Tools that can also delete,
 * attach and discover. Tools that are not installed are skipped by name.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RobotCredentials } from '#ports/registry.ts';
import { RegistryClient, type PushedImage } from '#ports/registry.suite-client.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

const has = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
const tools = ['skopeo', 'buildah', 'podman', 'docker', 'crane', 'oras'] as const;
const missing = tools.filter((tool) => !has(tool));
if (missing.length > 0) process.stderr.write(`SKIPPED, since they are not installed: ${missing.join(', ')}\n`);

let app: TestApp;
let place: string;
let robot: RobotCredentials;
let client: RegistryClient;
let image: PushedImage;
let host: string;

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { registry } = app.adapters;
  await seedApp(app.database.db, { id: 'yard' });
  await registry.projectEnsure('yard', 'app:yard');
  robot = await registry.robotEnsure('yard', 'tools', ['pull', 'push', 'delete']);
  client = new RegistryClient(registry, robot);
  image = await client.pushImage('yard/tools', 'first', 'a layer');
  host = registry.host;
  place = await mkdtemp(join(tmpdir(), 'slipway-tools-'));
});
afterAll(async () => {
  await app?.close();
  await rm(place, { recursive: true, force: true });
});

const run = promisify(execFile);
/** Runs a tool with an empty home directory, so that it finds no other logins. Returns its standard output. */
const tool = async (program: string, words: readonly string[], input?: string): Promise<string> => {
  const env = {
    PATH: process.env['PATH'],
    HOME: place,
    XDG_RUNTIME_DIR: place,
    DOCKER_CONFIG: join(place, 'docker'),
    REGISTRY_AUTH_FILE: join(place, 'auth.json'),
  };
  const running = run(program, [...words], { env, cwd: place, timeout: PATIENCE_MS });
  // A tool that reads no input may have exited already.
  running.child.stdin?.on('error', () => undefined).end(input ?? '');
  return (await running).stdout;
};
const asRobot = (): string[] => ['-u', robot.username, '--password-stdin'];
/** Returns the tag's current digest in the registry, or null if the tag does not exist. */
const digestOf = async (tag: string): Promise<string | null> =>
  (await client.send('HEAD', `/v2/yard/tools/manifests/${tag}`)).headers.get('docker-content-digest');

describe.skipIf(!has('skopeo'))('skopeo', () => {
  test('logs in, pulls, pushes, lists, inspects and deletes', { timeout: 2 * PATIENCE_MS }, async () => {
    await tool('skopeo', ['login', '--tls-verify=false', ...asRobot(), host], robot.secret);
    await tool('skopeo', ['copy', '--src-tls-verify=false', `docker://${host}/yard/tools:first`, 'oci:pulled:first']);
    await tool('skopeo', ['copy', '--dest-tls-verify=false', 'oci:pulled:first', `docker://${host}/yard/tools:skopeo`]);
    expect(await digestOf('skopeo')).toBe(image.digest);
    expect(JSON.parse(await tool('skopeo', ['list-tags', '--tls-verify=false', `docker://${host}/yard/tools`]))).toMatchObject({
      Tags: expect.arrayContaining(['first', 'skopeo']),
    });
    const inspected = await tool('skopeo', ['inspect', '--raw', '--tls-verify=false', `docker://${host}/yard/tools:skopeo`]);
    expect(inspected).toBe(image.manifest.toString());
    const other = (await client.pushImage('yard/tools', 'to-delete', 'another layer')).digest;
    await tool('skopeo', ['delete', '--tls-verify=false', `docker://${host}/yard/tools:to-delete`]);
    expect((await client.send('GET', `/v2/yard/tools/manifests/${other}`)).status).toBe(404);
  });

  test('hears why it is refused', { timeout: PATIENCE_MS }, async () => {
    const reader = await app.adapters.registry.robotEnsure('yard', 'reader', ['pull']);
    const words = ['copy', '--dest-tls-verify=false', '--dest-creds', `${reader.username}:${reader.secret}`];
    await expect(tool('skopeo', [...words, 'oci:pulled:first', `docker://${host}/yard/tools:refused`])).rejects.toThrow(/denied/i);
    expect(await digestOf('refused')).toBeNull();
  });
});

describe.skipIf(!has('buildah'))('buildah', () => {
  test('logs in, commits, pushes and pulls', { timeout: 3 * PATIENCE_MS }, async () => {
    const stored = ['--storage-driver', 'vfs', '--root', join(place, 'buildah'), '--runroot', join(place, 'buildah-run')];
    const buildah = (words: readonly string[], input?: string) => tool('buildah', [...stored, ...words], input);
    await buildah(['login', '--tls-verify=false', ...asRobot(), host], robot.secret);
    const container = (await buildah(['from', 'scratch'])).trim();
    await buildah(['config', '--label', 'by=buildah', container]);
    await buildah(['commit', container, `${host}/yard/tools:buildah`]);
    await buildah(['push', '--tls-verify=false', `${host}/yard/tools:buildah`]);
    expect(await digestOf('buildah')).toMatch(/^sha256:/);
    await buildah(['rmi', '--force', `${host}/yard/tools:buildah`]);
    await buildah(['pull', '--tls-verify=false', `${host}/yard/tools:buildah`]);
    const { OCIv1 } = JSON.parse(await buildah(['inspect', '--type', 'image', `${host}/yard/tools:buildah`])) as {
      OCIv1: { config: { Labels: Record<string, string> } };
    };
    expect(OCIv1.config.Labels['by']).toBe('buildah');
  });
});

describe.skipIf(!has('podman'))('podman', () => {
  test('logs in, pulls, tags and pushes', { timeout: 3 * PATIENCE_MS }, async () => {
    const stored = ['--storage-driver', 'vfs', '--root', join(place, 'podman'), '--runroot', join(place, 'podman-run')];
    const podman = (words: readonly string[], input?: string) => tool('podman', [...stored, ...words], input);
    await podman(['login', '--tls-verify=false', ...asRobot(), host], robot.secret);
    // Podman unpacks layers, and the other image's layer is not an archive.
    const empty = await pushEmpty('podman-source');
    await podman(['pull', '--tls-verify=false', `${host}/yard/tools:podman-source`]);
    await podman(['tag', `${host}/yard/tools:podman-source`, `${host}/yard/tools:podman`]);
    await podman(['push', '--tls-verify=false', `${host}/yard/tools:podman`]);
    expect(await digestOf('podman')).toMatch(/^sha256:/);
    expect(await digestOf('podman-source')).toBe(empty);
  });
});

/** Pushes an image without layers. Returns its digest. */
const pushEmpty = async (tag: string): Promise<string> => {
  const config = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [] } }));
  const digest = await client.pushBlob('yard/tools', config);
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const described = { mediaType: 'application/vnd.oci.image.config.v1+json', digest, size: config.length };
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config: described, layers: [] }));
  const answer = await client.pushManifest('yard/tools', tag, manifest);
  return answer.headers.get('docker-content-digest') ?? '';
};

describe.skipIf(!has('docker'))("docker's own client", () => {
  // The client handles indexes and their sign-in itself, without an engine.
  test('signs in, reads an image, makes an index and pushes it', { timeout: PATIENCE_MS }, async () => {
    const auth = Buffer.from(`${robot.username}:${robot.secret}`).toString('base64');
    await mkdir(join(place, 'docker'), { recursive: true });
    await writeFile(join(place, 'docker', 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }));
    const docker = (words: readonly string[]) => tool('docker', ['manifest', ...words]);
    expect(JSON.parse(await docker(['inspect', '--insecure', `${host}/yard/tools:first`]))).toMatchObject({ schemaVersion: 2 });
    await docker(['create', '--insecure', `${host}/yard/tools:many`, `${host}/yard/tools:first`]);
    const [, pushed] = /(sha256:[0-9a-f]{64})/.exec(await docker(['push', '--insecure', `${host}/yard/tools:many`])) ?? [];
    expect(await digestOf('many')).toBe(pushed);
  });
});

describe.skipIf(!has('crane'))('crane', () => {
  test('logs in, copies, lists, reads and deletes', { timeout: PATIENCE_MS }, async () => {
    await tool('crane', ['auth', 'login', host, ...asRobot()], robot.secret);
    await tool('crane', ['--insecure', 'copy', `${host}/yard/tools:first`, `${host}/yard/crane:one`]);
    expect((await tool('crane', ['--insecure', 'digest', `${host}/yard/crane:one`])).trim()).toBe(image.digest);
    expect((await tool('crane', ['--insecure', 'ls', `${host}/yard/crane`])).trim()).toBe('one');
    expect(await tool('crane', ['--insecure', 'catalog', host])).toContain('yard/crane');
    await tool('crane', ['--insecure', 'delete', `${host}/yard/crane:one`]);
    expect((await tool('crane', ['--insecure', 'ls', `${host}/yard/crane`])).trim()).toBe('');
  });
});

describe.skipIf(!has('oras'))('oras', () => {
  test('logs in, pushes, attaches, discovers, pulls and deletes', { timeout: 2 * PATIENCE_MS }, async () => {
    await tool('oras', ['login', '--plain-http', ...asRobot(), host], robot.secret);
    await writeFile(join(place, 'report.txt'), 'all tests passed');
    const about = `${host}/yard/tools:first`;
    await tool('oras', ['attach', '--plain-http', '--artifact-type', 'application/vnd.example.report', about, 'report.txt:text/plain']);
    const found = JSON.parse(await tool('oras', ['discover', '--plain-http', '--format', 'json', about])) as object;
    expect(JSON.stringify(found)).toContain('application/vnd.example.report');
    const named = JSON.stringify(found).match(/sha256:[0-9a-f]{64}/g) ?? [];
    const digest = named.find((one) => one !== image.digest) ?? '';
    await rm(join(place, 'report.txt'));
    await tool('oras', ['pull', '--plain-http', `${host}/yard/tools@${digest}`]);
    expect(await readFile(join(place, 'report.txt'), 'utf8')).toBe('all tests passed');
    await tool('oras', ['manifest', 'delete', '--plain-http', '--force', `${host}/yard/tools@${digest}`]);
    expect(JSON.stringify(JSON.parse(await tool('oras', ['discover', '--plain-http', '--format', 'json', about])))).not.toContain(digest);
  });
});
