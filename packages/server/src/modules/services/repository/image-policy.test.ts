// @long (shared process): tries rare cases that take long
/** Images pushed through the registry's API, as docker does it: the policy deploys them without any console action. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import { serviceCopy, serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import { serviceActivation, serviceDeploy, servicePipelineList, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { RobotCredentials } from '#ports/registry.ts';
import { RegistryClient } from '#ports/registry.suite-client.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { crashing, good, goodMain } from '#testing/programs.ts';
import { workingCopy } from '#testing/working-copy.ts';
import { policySeen, wantedPush } from './image-policy.ts';

let app: TestApp;
let robot: RobotCredentials;
const repository = 'berth/berth';
const at = (env = 'development') => ({ params: { app: 'berth', env, service: 'berth' } });

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
  robot = await app.adapters.registry.robotEnsure('berth', 'delivery', ['pull', 'push']);
  for (const version of ['two', 'three', 'four', 'five', 'six', 'seven']) await stage(version, good(version));
  await stage('crash', crashing());
});
afterAll(() => app?.close());

/** Builds into another repository, so that only the tests' pushes reach the service's repository. */
const stage = (version: string, files: ReturnType<typeof good>) =>
  app.adapters.builder.build({ buildId: `build-${version}`, files, repository: 'berth/stage', tag: version, labels: {}, onLog: () => {} });

interface Manifest {
  readonly mediaType: string;
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
}
/** Pushes as a client does: missing layers, the configuration, then the manifest with its tag. */
const push = async (version: string, tag: string, who: RobotCredentials = robot) => {
  const client = new RegistryClient(app.adapters.registry, who);
  const body = Buffer.from(await (await client.send('GET', `/v2/berth/stage/manifests/${version}`)).arrayBuffer());
  const { mediaType, config, layers } = JSON.parse(body.toString()) as Manifest;
  for (const { digest } of [...layers, config]) {
    if ((await client.send('HEAD', `/v2/${repository}/blobs/${digest}`)).ok) continue;
    const blob = await client.send('GET', `/v2/berth/stage/blobs/${digest}`);
    await client.pushBlob(repository, Buffer.from(await blob.arrayBuffer()));
  }
  expect((await client.pushManifest(repository, tag, body, mediaType)).status).toBe(201);
};

const service = async (env?: string) => (await app.call('member', serviceView, at(env))).body as Service;
const pipelines = async (env?: string) =>
  ((await app.call('member', servicePipelineList, { ...at(env), query: { size: 100 } })).body as Page<PipelineRun>).content;
const idle = (env?: string) => expect.poll(async () => (await pipelines(env)).some(({ status }) => isActive(status.state))).toBe(false);
const answers = async (text: string, env?: string) => {
  await expect.poll(async () => (await app.get((await service(env)).status.url ?? '')).text, { interval: 20 }).toBe(text);
  await idle(env);
};
const runsOf = async (tag: string, env?: string) =>
  (await pipelines(env)).filter(({ facts, trigger }) => facts['imageTag'] === tag && trigger === 'image');
const setPolicy = async (policy: ServiceSpec['imageUpdatePolicy'], env?: string) => {
  const { githubRepositoryName, active, spec } = await service(env);
  const body = { githubRepositoryName, active, spec: { ...spec, imageUpdatePolicy: policy } };
  expect((await app.run('member', serviceUpdate, { ...at(env), body })).status.state).toBe('COMPLETED');
};
const regex = (pattern: string): ServiceSpec['imageUpdatePolicy'] => ({ type: 'REGEX', regex: { pattern } });
const seenAt = async (): Promise<number> => {
  const row = await app.database.db
    .selectFrom('service')
    .select('image_seen_at')
    .where('environment', '=', 'development')
    .executeTakeFirstOrThrow();
  return row.image_seen_at?.getTime() ?? 0;
};
const pushedAt = async (tag: string) => (await app.adapters.registry.image(repository, tag))?.pushedAt.getTime() ?? 0;

describe('the policy', () => {
  const spec = (pattern: string, image = 'h/berth/berth'): ServiceSpec => ({ ...newServiceSpec(image), imageUpdatePolicy: regex(pattern) });
  const manual = newServiceSpec('h/berth/berth');
  test.each([
    ['begins with the service', undefined, spec('v.*'), true],
    ['begins when it is turned on', manual, spec('v.*'), true],
    ['begins anew with another pattern', spec('v.*'), spec('w.*'), true],
    ['begins anew with another image', spec('v.*'), spec('v.*', 'h/berth/other'), true],
    ['goes on while other settings change', spec('v.*'), { ...spec('v.*'), scaleDownAfterDays: 3 }, false],
    ['does not begin when it is turned off', spec('v.*'), manual, false],
    ['does not begin where nobody asks for it', undefined, manual, false],
  ])('%s', (_name, before, after, begins) => {
    expect('image_seen_at' in policySeen(before, after)).toBe(begins);
  });

  test.each([
    ['v\\d+', 'v2'],
    ['v\\d', 'v2'],
    ['2', undefined],
    ['(a+)+$', undefined],
    ['(', undefined],
  ])('the pattern %s means the tag as a whole, the newest first', (pattern, tag) => {
    const pushes = ['latest', 'v2', 'v1'].map((one) => ({
      repository: 'berth/berth',
      tag: one,
      digest: 'd',
      pushedAt: new Date(),
      pushedBy: null,
    }));
    expect(wantedPush(pattern, pushes)?.tag).toBe(tag);
  });
});

describe('a push', () => {
  beforeEach(() => idle());

  test('before the policy is on deploys nothing, nor does turning it on', async () => {
    await push('two', 'v0.9');
    await setPolicy(regex('v\\d+\\.\\d+'));
    // When the sweep deploys the later tag, it has already seen the earlier one.
    await push('three', 'v1.0');
    await answers('three');
    expect(await runsOf('v0.9')).toEqual([]);
  });

  test('of a matching tag is running soon, and the time is shown', async () => {
    await push('four', 'latest');
    const startedAt = performance.now();
    await push('four', 'v1.1');
    const pushedMs = performance.now() - startedAt;
    await answers('four');
    const [run] = await runsOf('v1.1');
    const healthyMs = Date.parse(run?.endedAt ?? '') - (await pushedAt('v1.1'));
    process.stdout.write(`    pushed in ${Math.round(pushedMs)} ms; ${healthyMs} ms from the push to the end of its rollout\n`);
    expect(healthyMs).toBeLessThan(20_000);
    expect(run).toMatchObject({
      pipelineType: 'Deploy',
      trigger: 'image',
      status: { state: 'COMPLETED' },
      createdBy: { id: robot.username, displayName: robot.username },
    });
    const { serving, imageTag } = (await service()).status;
    expect(imageTag).toBe('v1.1');
    const revision = (await app.call('member', revisionView, { params: { ...at().params, revision: serving ?? '' } })).body as Revision;
    expect(revision.reason.type).toBe('IMAGE');
    expect(await runsOf('latest')).toEqual([]);
  });

  test('by a person names the person, in the log too', async () => {
    await push('five', 'v1.2', { username: 'mats', secret: await app.apiToken('member', ['registry']) });
    await answers('five');
    expect((await runsOf('v1.2'))[0]?.createdBy).toEqual({ id: 'mats', displayName: 'Mats Member' });
    const answer = await app.call('member', appActivityList, { params: at().params, query: { type: 'imagePush' } });
    expect((answer.body as Page<Activity>).content[0]).toMatchObject({
      origin: 'platform',
      actor: { id: 'mats' },
      message: 'Mats Member pushed v1.2 to berth/berth; the image update policy deploys it',
    });
  });

  test('while a pipeline is at work waits for it, and the newest of several wins', async () => {
    await app.call('member', serviceDeploy, { ...at(), body: { imageTag: 'v1.1' } });
    await push('two', 'v1.3');
    await push('three', 'v1.4');
    await answers('three');
    expect((await service()).status.imageTag).toBe('v1.4');
    await expect.poll(seenAt).toBe(await pushedAt('v1.4'));
    expect((await runsOf('v1.4')).length).toBe(1);
  });

  test('of the same image again deploys again', async () => {
    await app.database.pool.query(`update revision set created_at = created_at - interval '1 minute'`);
    await push('three', 'v1.4');
    await expect.poll(async () => (await runsOf('v1.4')).length).toBe(2);
  });

  test('that does not run keeps what runs, and is not tried for ever', async () => {
    await push('crash', 'v1.5');
    await expect.poll(async () => (await runsOf('v1.5'))[0]?.status.state).toBe('FAILED');
    await answers('three');
    await push('four', 'v1.6');
    await answers('four');
    expect((await runsOf('v1.5')).length).toBe(1);
  });

  test('to an inactive service waits until it is active', async () => {
    await app.run('member', serviceActivation, { ...at(), body: { active: false } });
    await push('five', 'v1.7');
    expect(await runsOf('v1.7')).toEqual([]);
    await app.run('member', serviceActivation, { ...at(), body: { active: true } });
    await answers('five');
    expect((await runsOf('v1.7')).length).toBe(1);
  });

  test('that a replica took which is gone is found again', async () => {
    // Inserts the tag without an announcement, so that only the sweep can find it.
    const { rows } = await app.database.pool.query<{ digest: string }>(
      `select digest from registry_tag where repository = 'berth/berth' and name = 'v1.6'`,
    );
    await app.database.pool.query(
      `insert into registry_tag (repository, name, digest, pushed_at) values ('berth/berth', 'v1.8', $1, now())`,
      [rows[0]?.digest],
    );
    await answers('four');
    expect((await runsOf('v1.8'))[0]?.createdBy).toEqual({ id: 'platform', displayName: 'Slipway' });
  });

  test('of our own build is deployed once, by the pipeline that built it', async () => {
    await setPolicy(regex('.*'));
    const copy = await workingCopy(app, repository, await app.apiToken('member', ['git']));
    await copy.commit({ 'main.js': goodMain('built') });
    await copy.push();
    await copy.remove();
    await answers('built');
    const tag = (await service()).status.imageTag ?? '';
    await expect.poll(seenAt).toBe(await pushedAt(tag));
    expect((await pipelines()).filter(({ facts }) => facts['imageTag'] === tag).map(({ pipelineType }) => pipelineType)).toEqual([
      'BuildAndDeploy',
    ]);
  });

  test('deploys to production, too, where the policy says so', async () => {
    await app.run('member', serviceCopy, { ...at(), body: { environment: 'production', name: 'berth' } });
    await setPolicy({ type: 'MANUAL', regex: { pattern: '' } });
    await setPolicy(regex('release-\\d+'), 'production');
    await push('six', 'release-1');
    await answers('six', 'production');
    expect((await runsOf('release-1', 'production')).length).toBe(1);
    expect(await runsOf('release-1')).toEqual([]);
  });

  test('waits while production is frozen, and the newest is deployed afterwards', async () => {
    const { db } = app.database;
    const window = { id: 'frz', name: 'Peak week', reason: 'Full load', time_zone: 'UTC', owners_may_override: true };
    const times = { starts_at: new Date(0), ends_at: new Date(Date.now() + 3_600_000) };
    await db
      .insertInto('freeze_window')
      .values({ ...window, ...times, updated_by: 'ada', updated_by_name: 'Ada' })
      .execute();
    await push('seven', 'release-2');
    // The same push reaches development, which is not frozen.
    await setPolicy(regex('release-\\d+'));
    await push('seven', 'release-3');
    await answers('seven');
    expect(await runsOf('release-2', 'production')).toEqual([]);
    await db.updateTable('freeze_window').set({ ended_at: new Date() }).execute();
    await answers('seven', 'production');
    expect([(await runsOf('release-2', 'production')).length, (await runsOf('release-3', 'production')).length]).toEqual([0, 1]);
  });
});
