// @long: waits for limits, or starts programs
/**
 * The whole platform runs an image that is one static program and its health check. Both try to see, to change and to leave their image all
 * the time: while the health check runs, when the instance restarts, while a member reveals a secret, and in a build.
 */
import { globSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretGroupCreate, secretReveal, serviceSecretGroupAttach } from '@slipway/contract/secret/secret-group.ts';
import { revisionInstances, revisionLogs, type Instance } from '@slipway/contract/service/revision.ts';
import { serviceCreate } from '@slipway/contract/service/service-operations.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceDeploy } from '@slipway/contract/service/service.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { descendants } from '@slipway/runtime/sandbox/process-tree.ts';
import { answersOf, listing, NUMBERS, staticProgram, type Call } from '@slipway/runtime/sandbox/static-program.fixture.ts';
import { berthOf, makeBerth } from '#modules/services/settings/settings.fixture.ts';
import { testApp, type TestApp } from '../app.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { good } from '../programs.ts';
import { pushFiles, type LayerFiles } from '@slipway/images/pushed-image.fixture.ts';

const MARK = 'slipway-left-its-image';
const SECRET = 'a-value-of-the-group';
const params = { app: 'berth', env: 'development', service: 'berth-static' };
/** A quarter of a second, as `struct timespec`. */
const pause: Call = [NUMBERS.nanosleep, '\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0'];
const places = ['/proc/1/root', '/proc/1/cwd', '/proc/2/root', '/proc/3/cwd', '/proc/1/root/launch'];

const LINE_BYTES = 61;
/** Announces a call by a line. The next line holds two results of eight bytes: that of the announcement, and that of the call. */
const announced = (call: Call): readonly Call[] => {
  const line = `\nattempt ${call[0]} ${String(call[1])}`.padEnd(LINE_BYTES - 1, '.').concat('\n');
  return [[NUMBERS.write, 1, line, line.length], call];
};
/** A result that is no negative number. Bytes of negative numbers are no text. */
const WORKED = new RegExp(`stdout ${String.fromCharCode(LINE_BYTES)}\\0{7}[\\0-\\x7f]`);
const attempts = (at: readonly string[]): readonly Call[] =>
  at.flatMap((place): readonly Call[] => [
    [NUMBERS.mkdir, `${place}/${MARK}`, 0o777],
    [NUMBERS.creat, `${place}/lib64/${MARK}`, 0o777],
    [NUMBERS.creat, `${place}/${MARK}-file`, 0o777],
    [NUMBERS.symlink, '/static', `${place}/${MARK}-link`],
    [NUMBERS.link, '/static', `${place}/${MARK}-hard`],
    [NUMBERS.rename, `${place}/lib64`, `${place}/${MARK}-lib64`],
    [NUMBERS.rename, '/static', `${place}/${MARK}-static`],
  ]);
const lists = ['.', ...places].flatMap(listing);
const tries = attempts(['.', '..', ...places]).flatMap(announced);
/** Works in each round, which shows that the test would see an attempt that works. */
const control: readonly Call[] = [...announced([NUMBERS.open, '/', 0]), [NUMBERS.close, 3]];
/** A build may write to its own root, which its other processes share. The first process is outside of that root. */
const buildPlaces = ['/proc/1/root', '/proc/1/cwd', '/proc/1/root/launch'];
const buildLists = ['..', ...buildPlaces].flatMap(listing);
const inBuild = [...buildLists, ...attempts(buildPlaces)];

let app: TestApp;
let work: string;
const formerly = process.env['TMPDIR'];
const { call, url } = berthOf(() => app);

/** Processes inside of sandboxes, and the names in the root directory of each, as the machine sees them. */
const inside = (): { readonly pid: number; readonly names: readonly string[] }[] =>
  descendants(process.pid).flatMap(({ pid }) => {
    try {
      const namespace = (id: number): string => readlinkSync(`/proc/${id}/ns/mnt`);
      return namespace(pid) === namespace(process.pid) ? [] : [{ pid, names: readdirSync(`/proc/${pid}/root`) }];
    } catch {
      return [];
    }
  });
/** Every place outside of the image where an attempt that worked would have left a name. */
const left = (): string[] => [
  ...inside().flatMap(({ names }) => names.filter((name) => name.includes(MARK))),
  ...globSync(join(work, `**/*${MARK}*`)),
  ...['/', '/usr', '/lib64', tmpdir()].flatMap((place) => readdirSync(place).filter((name) => name.includes(MARK))),
];
/** Everything below the unpacked images, with size and time of change. */
const images = (): string[] =>
  globSync(join(app.dataDir, 'images/**/rootfs/**'))
    .toSorted()
    .map((path) => {
      const { ctimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {};
      return `${path} ${size} ${ctimeMs}`;
    });
const instances = async (): Promise<Instance[]> => {
  const { body } = await call(revisionInstances, { params: { ...params, revision: 'berth-static-1' } });
  return (body as { instances: Instance[] }).instances;
};
const log = async (): Promise<string> =>
  (await call(revisionLogs, { params: { ...params, revision: 'berth-static-1' }, query: { tail: 100_000 } })).body as string;
const rounds = async (): Promise<number> => (await log()).split(`attempt ${NUMBERS.mkdir} ./${MARK}`).length;
/** Waits until the program has made a whole round of attempts since now. */
const anotherRound = async (): Promise<void> => {
  const before = await rounds();
  await expect.poll(rounds, { timeout: PATIENCE_MS }).toBeGreaterThan(before + 1);
};
const running = (): number[] => inside().flatMap(({ pid }) => (readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '/static\0' ? [pid] : []));

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('an image that is one static program', () => {
  let before: string[];
  let client: OciClient;
  let files: LayerFiles;
  beforeAll(async () => {
    process.env['TMPDIR'] = work = await mkdtemp(join(tmpdir(), 'slipway-static-'));
    await chmod(work, 0o711);
    app = await testApp({ templates: async () => good('one') });
    await makeBerth(app);
    expect((await call(secretGroupCreate, { body: { name: 'keys', entries: [{ key: 'key', value: SECRET }] } })).status).toBe(201);
    const spec = newServiceSpec(`${app.adapters.registry.host}/berth/berth-static`);
    spec.template.healthCheck = { ...spec.template.healthCheck, type: 'exec', exec: { command: ['/check'] } };
    expect(await app.run('member', serviceCreate, { params, body: { name: params.service, spec } })).toMatchObject({
      status: { state: 'COMPLETED' },
    });
    expect((await call(serviceSecretGroupAttach, { params: { ...params, group: 'keys' }, body: {} })).status).toBeLessThan(300);
    client = new OciClient({ baseUrl: app.url, authorize: (name, actions) => app.adapters.registry.accessToken(name, actions) });
    files = { static: staticProgram([...lists, ...tries, ...control, pause]), check: staticProgram([...tries, [NUMBERS.exit, 0]]) };
    await pushFiles(client, 'berth/berth-static', [files], { tag: 'one', entrypoint: ['/static'] });
    const run = await app.run('member', serviceDeploy, { params, body: { imageTag: 'one' } });
    expect(run).toMatchObject({ status: { state: 'COMPLETED' } });
    before = images();
    expect(before.some((line) => line.includes('/rootfs/static '))).toBe(true);
  });
  afterAll(async () => {
    await app?.close();
    delete process.env['TMPDIR'];
    if (formerly !== undefined) process.env['TMPDIR'] = formerly;
    await rm(work, { recursive: true, force: true });
  });

  /** Nothing outside of the image was seen or changed so far, and the platform works. */
  const held = async (): Promise<void> => {
    await anotherRound();
    const lines = (await log()).split('\n').filter((line) => line.includes(' stdout '));
    const worked = lines.filter((_, index) => WORKED.test(lines[index + 1] ?? '')).map((line) => /attempt \d+ [^.]*/.exec(line)?.[0]);
    expect(new Set(worked)).toEqual(new Set([`attempt ${NUMBERS.open} /`]));
    expect(lines.join('\n')).not.toMatch(/\b(launch|binds|old)\0/);
    expect(left()).toEqual([]);
    expect(images()).toEqual(before);
    expect((await instances()).map(({ state }) => state)).toEqual(['READY']);
    expect((await app.get(await url())).text).toBe('one');
  };

  test('changes nothing while its health check runs, which tries the same', held);

  test('changes nothing after it was killed and started again', async () => {
    const [pid = 0] = running();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => running().some((other) => other !== pid), { timeout: PATIENCE_MS }).toBe(true);
    await expect.poll(async () => (await instances())[0]?.state, { timeout: PATIENCE_MS }).toBe('READY');
    await held();
  });

  test.each(['/proc/1/root', '/proc/1/cwd', '/proc/self/root'])('does not begin at %s, where its image wants it to', async (workdir) => {
    const tag = `at-${workdir.replaceAll('/', '-')}`;
    await pushFiles(client, 'berth/berth-static', [files], { tag, entrypoint: ['/static'], workdir });
    const run = await app.run('member', serviceDeploy, { params, body: { imageTag: tag } });
    const { message } = run.status.steps.find(({ code }) => code === 'StartInstances') ?? {};
    expect([run.status.state, message?.code]).toEqual(['FAILED', 'WorkingDirectoryRefused']);
    before = images();
    await held();
  });

  test('sees no value that a member reveals', async () => {
    const body = { key: 'key', version: 1, reason: 'The test reveals it' };
    const answer = await call(secretReveal, { params: { group: 'keys' }, body });
    expect(answer).toMatchObject({ status: 200, body: { value: SECRET } });
    await held();
    expect(await log()).not.toContain(SECRET);
  });

  test('changes nothing in a build either, while another instance of it runs', async () => {
    const build = `import { spawnSync } from 'node:child_process';
      for (const part of spawnSync('./static').stdout.toString('hex').match(/.{1,200}/g)) console.log('answers ' + part);`;
    const source = (path: string, content: string | Buffer) => ({ path, content: Buffer.from(content), isExecutable: path === 'static' });
    const scripts = { start: 'node build.js', build: 'node build.js' };
    const tree = [
      source('package.json', JSON.stringify({ name: 'builds', version: '1.0.0', type: 'module', scripts })),
      source('build.js', build),
      source('static', staticProgram([...inBuild, [NUMBERS.exit, 0]])),
    ];
    const said: string[] = [];
    const onLog = (line: string) => said.push(line);
    await app.adapters.builder.build({ buildId: 'static', files: tree, repository: 'berth/berth', tag: 'built', labels: {}, onLog });
    const hex = said.flatMap((line) => /answers ([0-9a-f]+)/.exec(line)?.[1] ?? []).join('');
    const answers = answersOf(inBuild, Buffer.from(hex, 'hex'));
    expect(answers.length).toBe(inBuild.length);
    expect(answers.slice(buildLists.length).filter(({ result }) => result >= 0)).toEqual([]);
    for (const { shown } of answers) expect(shown).not.toMatch(/\0(launch|binds)\0/);
    await held();
  });
});
