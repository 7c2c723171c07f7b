/** A project over HTTP: its policy is applied by a pipeline, its quota holds, its retention deletes, and it goes when nothing uses it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { appActivityList } from '@slipway/contract/activity.ts';
import {
  containerRegistryDelete,
  containerRegistryQuotaSet,
  containerRegistryUpdate,
  containerRegistryView,
  type ContainerRegistry,
} from '@slipway/contract/registry/project.ts';
import { pipelineList, type PipelinePage } from '@slipway/contract/pipeline/pipeline.ts';
import { imageTagList, type ImageTag } from '@slipway/contract/registry/images.ts';
import { retentionPreview, type RetentionPreview } from '@slipway/contract/registry/retention.ts';
import { RegistryClient } from '#ports/registry.suite-client.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { applyDue } from '../retention/retention-task.ts';

const place = { app: 'yard', env: 'production' };
const open = { isPublic: false, preventVulnerableImages: false, severity: 'high', allowedCves: [], retention: null };
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
let app: TestApp;
let ci: RegistryClient;

const view = async (): Promise<ContainerRegistry> =>
  (await app.call('member', containerRegistryView, { params: place })).body as ContainerRegistry;
const update = (body: object) => app.call('member', containerRegistryUpdate, { params: place, body: { ...open, ...body } });
const apply = (body: object) => app.run('member', containerRegistryUpdate, { params: place, body: { ...open, ...body } });

beforeAll(async () => {
  app = await testApp();
  const { registry } = app.adapters;
  await seedApp(app.database.db, { id: 'yard' });
  await registry.projectEnsure('yard', 'app:yard');
  ci = new RegistryClient(registry, await registry.robotEnsure('yard', 'ci', ['pull', 'push', 'delete']));
});
afterAll(() => app?.close());

test('a project begins open inside and closed outside', async () => {
  expect(await view()).toMatchObject({
    state: 'ACTIVE',
    policy: open,
    draft: null,
    storage: { usedBytes: 0, quotaBytes: null },
    usedBy: [],
  });
});

test('a policy is applied by a pipeline, and closed for changes meanwhile', async () => {
  const cve = { cveId: 'CVE-2026-30255', reason: 'No XML is read by this service', expiresAt: inDays(20) };
  const started = await update({ isPublic: true, allowedCves: [cve] });
  expect(started).toMatchObject({ status: 202, body: { pipelineType: 'UpdateContainerRegistry' } });
  const { pipelineId } = started.body as { pipelineId: string };
  expect(await app.ended(pipelineId)).toMatchObject({ status: { state: 'COMPLETED' } });
  const applied = await view();
  expect(applied).toMatchObject({ state: 'ACTIVE', pipelineId, draft: null, policy: { isPublic: true }, can: { update: true } });
  expect(applied.policy.allowedCves).toMatchObject([{ ...cve, author: { displayName: 'Mats Member' }, isExpired: false }]);
  await ci.pushImage('yard/yard', 'one', 'one');
  expect((await new RegistryClient(app.adapters.registry).send('GET', '/v2/yard/yard/manifests/one')).status).toBe(200);
  await app.database.db.updateTable('container_registry').set({ state: 'UPDATING' }).execute();
  expect(errorsOf(await update({}))).toEqual([409, 'undefined: WorkflowExecutionAlreadyStarted']);
  expect((await view()).can['update']).toBe('WorkflowExecutionAlreadyStarted');
  await app.database.db.updateTable('container_registry').set({ state: 'ACTIVE' }).execute();
});

test.each([
  [{ severity: 'awful' }, 'severity: InvalidValue'],
  [{ allowedCves: [{ cveId: 'what', reason: 'x', expiresAt: inDays(2) }] }, 'allowedCves.0.cveId: DoesNotMatchPattern'],
  [{ allowedCves: [{ cveId: 'CVE-2026-1', reason: '', expiresAt: inDays(2) }] }, 'allowedCves.0.reason: Required'],
  [{ allowedCves: [{ cveId: 'CVE-2026-1', reason: 'x', expiresAt: inDays(-2) }] }, 'allowedCves.0.expiresAt: CveExpiry'],
  [{ allowedCves: [{ cveId: 'CVE-2026-1', reason: 'x', expiresAt: inDays(92) }] }, 'allowedCves.0.expiresAt: CveExpiry'],
  [{ allowedCves: [1, 2].map(() => ({ cveId: 'CVE-2026-1', reason: 'x', expiresAt: inDays(2) })) }, 'allowedCves.1.cveId: DuplicateCve'],
  [{ retention: { keepNewest: 0, keepDays: null, keepPattern: null } }, 'retention.keepNewest: Minimum'],
  [{ retention: { keepNewest: 1, keepDays: null, keepPattern: '(' } }, 'retention.keepPattern: NotARegularExpression'],
])('%j is refused', async (body, error) => {
  expect(errorsOf(await update(body))).toEqual([400, error]);
});

test.each([{}, { state: 'COMPLETED' }, { state: 'COMPLETED', type: 'UpdateContainerRegistry' }, { query: 'yard' }])(
  'strangers see no pipeline of it in the list %j',
  async (query) => {
    const types = async (actor: 'member' | 'stranger') =>
      ((await app.call(actor, pipelineList, { query })).body as PipelinePage).content.map(({ pipelineType }) => pipelineType);
    expect(await types('member')).toContain('UpdateContainerRegistry');
    expect(await types('stranger')).not.toContain('UpdateContainerRegistry');
  },
);

test('a quota is set by administrators, and a push over it is refused with the reason', async () => {
  const set = (actor: 'member' | 'administrator', quotaBytes: number | null) =>
    app.call(actor, containerRegistryQuotaSet, { params: place, body: { quotaBytes } });
  expect(errorsOf(await set('member', 1))).toEqual([403, 'undefined: NotAnAdministrator']);
  const { usedBytes } = (await view()).storage;
  expect(usedBytes).toBeGreaterThan(0);
  expect((await set('administrator', usedBytes + 1000)).body).toMatchObject({ storage: { usedBytes, quotaBytes: usedBytes + 1000 } });
  await expect(ci.pushBlob('yard/yard', Buffer.alloc(1001, 'x'))).rejects.toThrow(/403.*DENIED.*quota of/s);
  await ci.pushBlob('yard/yard', Buffer.alloc(600, 'y'));
  // What came in meanwhile counts, and so does an upload that has not ended.
  const started = await ci.send('POST', '/v2/yard/yard/blobs/uploads/');
  const patch = (bytes: number) => ci.send('PATCH', started.headers.get('location') ?? '', { body: Buffer.alloc(bytes, 'z') });
  expect((await patch(300)).status).toBe(202);
  const refused = await patch(300);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ errors: [{ code: 'DENIED', detail: { reason: 'QUOTA_EXCEEDED', neededBytes: 300 } }] });
  expect((await view()).storage).toMatchObject({ usedBytes: usedBytes + 600, uploadingBytes: 300 });
  expect((await set('administrator', null)).status).toBe(200);
  expect((await patch(300)).status).toBe(202);
});

test('retention shows what it would delete, deletes that at night, and never what a revision is made of', async () => {
  const tags = ['r1', 'r2', 'keep-r3', 'r4', 'r5'];
  const { db } = app.database;
  let old = 100;
  for (const tag of ['one', ...tags]) {
    const { digest } = await ci.pushImage('yard/web', tag, `${tag} has a layer of its own`);
    await db
      .updateTable('registry_tag')
      .set({ pushed_at: new Date(Date.now() - old-- * 86_400_000) })
      .where('repository', '=', 'yard/web')
      .where('name', '=', tag)
      .execute();
    if (tag !== 'r2') continue;
    // Disabled, and still what a rollback would need.
    const serviceId = await seedService(db, { app: 'yard', environment: 'development', name: 'yard-web' });
    await seedRevision(db, { serviceId, service: 'yard', number: 1, imageDigest: digest, imageTag: tag, enabled: false });
    await db.updateTable('revision').set({ image_repository: 'yard/web' }).execute();
  }
  const preview = async (query: object) =>
    (await app.call('member', retentionPreview, { params: place, query: { ...query } })).body as RetentionPreview;
  const shown = await preview({ keepNewest: 1, keepPattern: 'keep-.*' });
  expect(shown.content.map(({ tag }) => tag)).toEqual(['one', 'r1', 'r4']);
  expect(shown).toMatchObject({ tags: 3, isAtLeast: false });
  expect((await preview({ keepNewest: 1, keepDays: 100 })).content.map(({ tag }) => tag)).toEqual(['one']);
  expect((await preview({})).tags).toBe(0);
  const wrong = await app.call('member', retentionPreview, { params: place, query: { keepNewest: 1, keepPattern: '(' } });
  expect(errorsOf(wrong)).toEqual([400, 'keepPattern: NotARegularExpression']);

  await apply({ retention: { keepNewest: 1, keepDays: null, keepPattern: 'keep-.*' } });
  const list = async () =>
    ((await app.call('member', imageTagList, { params: { ...place, repository: 'web' }, query: { sort: 'tag' } })).body as Page<ImageTag>)
      .content;
  expect((await list()).filter(({ isExpiring }) => isExpiring).map(({ tag }) => tag)).toEqual(['one', 'r1', 'r4']);
  const before = (await view()).storage.usedBytes;
  await applyDue({ db, registry: app.adapters.registry });
  await applyDue({ db, registry: app.adapters.registry });
  expect((await list()).map(({ tag }) => tag)).toEqual(['keep-r3', 'r2', 'r5']);
  const after = await view();
  expect(after).toMatchObject({ lastRetention: { tags: 3, sizeBytes: shown.sizeBytes }, nextRetentionAt: expect.any(String) });
  expect(shown.sizeBytes).toBeGreaterThan(0);
  expect(before).toBeGreaterThanOrEqual(after.storage.usedBytes);
  const { content } = (await app.call('member', appActivityList, { params: place })).body as Page<{ message: string }>;
  expect(content.map(({ message }) => message)).toContain('Retention deleted 3 tags of the registry project yard');
});

test('a project is not deleted while services use it, and can be made anew afterwards', async () => {
  const refused = await app.call('member', containerRegistryDelete, { params: place });
  expect(errorsOf(refused)).toEqual([409, 'undefined: HarborProjectInUse']);
  expect(refused.body).toMatchObject({ detail: 'Project is in use and cannot be deleted' });
  expect(await view()).toMatchObject({
    can: { delete: 'HarborProjectInUse' },
    usedBy: [{ environment: 'development', service: 'yard-web' }],
  });
  await app.database.db.deleteFrom('service').execute();
  const run = await app.run('member', containerRegistryDelete, { params: place });
  expect(run).toMatchObject({ pipelineType: 'DeleteContainerRegistry', status: { state: 'COMPLETED' } });
  expect(await view()).toMatchObject({ exists: false, state: 'DELETED', repositories: [], policy: open });
  expect(await apply({ isPublic: true })).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(await view()).toMatchObject({ exists: true, state: 'ACTIVE', policy: { isPublic: true } });
});

test('what could not be applied comes back as a draft, and the old policy stays in force', async () => {
  const { registry } = app.adapters;
  const publish = registry.projectPublish!.bind(registry);
  registry.projectPublish = async (project, isPublic) => {
    if (!isPublic) throw new Error('planted');
    await publish(project, isPublic);
  };
  const run = await apply({ severity: 'low' });
  expect(run).toMatchObject({ status: { state: 'FAILED' } });
  expect(await view()).toMatchObject({
    state: 'ACTIVE',
    policy: { isPublic: true, severity: 'high' },
    draft: { isPublic: false, severity: 'low' },
  });
  registry.projectPublish = publish;
});
