// @long (shared process): runs many pipelines in production
/** Changes in production with the approval of a second person, over HTTP on the real engines. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { isActive, pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { quickstartServiceCreate } from '@slipway/contract/quickstart.ts';
import {
  requestDecide,
  requestList,
  requestRaiseAgain,
  requestView,
  requestWithdraw,
  type Request,
} from '@slipway/contract/request/request.ts';
import { serviceApprovalView, serviceChangeRequest, type ServiceApproval } from '@slipway/contract/service/approval.ts';
import {
  serviceCopy,
  serviceRollback,
  serviceSettingsView,
  serviceUpdate,
  type ServiceSettingsView,
} from '@slipway/contract/service/service-operations.ts';
import { revisionList, type Revision } from '@slipway/contract/service/revision.ts';
import {
  serviceActivation,
  serviceDelete,
  serviceDeploy,
  servicePipelineList,
  serviceView,
  type Service,
} from '@slipway/contract/service/service.ts';
import { teamUpdate } from '@slipway/contract/team.ts';
import { transaction } from '#db/database.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { good } from '#testing/programs.ts';
import { workingCopy } from '#testing/working-copy.ts';
import { berthOf, makeBerth } from '../settings/settings.fixture.ts';
import { refuseUnapprovedRerun } from './approval-rule.ts';

let app: TestApp;
const { push } = berthOf(() => app);
const params = { app: 'berth', env: 'production', service: 'berth' };
const call = (actor: Actor, route: Parameters<TestApp['call']>[1], request: object = {}) => app.call(actor, route, { params, ...request });
const codeOf = ({ body }: { body: unknown }): string | undefined => (body as ErrorObject).errors?.[0]?.code;

const demand = async (needsProductionApproval: boolean): Promise<void> => {
  const body = { displayName: 'Team cranes', ownerIds: ['olga'], memberIds: ['mats', 'robot-1'], needsProductionApproval };
  expect((await app.run('owner', teamUpdate, { params: { team: 'cranes' }, body })).status.state).toBe('COMPLETED');
};
const service = async (env = 'production') => (await app.call('member', serviceView, { params: { ...params, env } })).body as Service;
const runs = async () => ((await call('member', servicePipelineList, { query: { size: 100 } })).body as Page<PipelineRun>).content;
const idle = () => expect.poll(async () => (await runs()).some(({ status }) => isActive(status.state))).toBe(false);
const serves = async (tag: string): Promise<void> => {
  await idle();
  expect((await service()).status.imageTag).toBe(tag);
};
const settings = async () => (await call('member', serviceSettingsView)).body as ServiceSettingsView;
const memoryBody = async (memoryMegabytes: number) => {
  const { githubRepositoryName, active, spec, settingsVersion } = await settings();
  return { githubRepositoryName, active, settingsVersion, spec: { ...spec, resources: { ...spec.resources, memoryMegabytes } } };
};
const ask = (body: object, actor: Actor = 'member') =>
  app.call(actor, serviceChangeRequest, { params: { app: 'berth', env: 'production' }, body: { service: 'berth', ...body } });
const asked = async (body: object, actor?: Actor): Promise<Request> => {
  const answer = await ask(body, actor);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body as Request;
};
const deployOf = (imageTag: string) => ({ operation: 'serviceDeploy', body: { imageTag }, comment: `Ships ${imageTag}` });
const decide = (actor: Actor, { id }: Request, body: object = { status: 'APPROVED' }) =>
  app.call(actor, requestDecide, { params: { request: id }, body });
const view = async ({ id }: Request) => (await app.call('member', requestView, { params: { request: id } })).body as Request;
const approval = async (actor: Actor = 'member') => (await call(actor, serviceApprovalView)).body as ServiceApproval;
/** Deploys without an approval. */
const direct = async (imageTag: string): Promise<void> => {
  await demand(false);
  await app.run('member', serviceDeploy, { params, body: { imageTag } });
  await demand(true);
};

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await makeBerth(app);
  await push('two', good('two'));
  await push('three', good('three'));
  const body = { environment: 'production', name: 'berth', imageTag: 'two' };
  await app.run('member', serviceCopy, { params: { ...params, env: 'development' }, body });
  await demand(true);
}, 120_000);
beforeEach(async () => {
  if ((await service()).status.imageTag !== 'two') await direct('two');
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app?.close());

test('a plan names who approves, and a direct write is refused without a trace', async () => {
  const plan = (await call('member', serviceDeploy, { query: { dryRun: true }, body: { imageTag: 'three' } })).body as Plan;
  expect(plan.approval).toEqual({
    team: 'Team cranes',
    approvers: [{ id: 'olga', displayName: 'Olga Owner' }],
    app: 'berth',
    environment: 'production',
    request: { operation: 'serviceDeploy', service: 'berth', body: { imageTag: 'three' } },
  });
  const before = (await runs()).length;
  for (const [route, body] of [
    [serviceDeploy, { imageTag: 'three' }],
    [serviceActivation, { active: false }],
    [serviceUpdate, await memoryBody(200)],
  ] as const)
    expect(errorsOf(await call('owner', route, { body }))).toEqual([409, 'undefined: ApprovalRequired']);
  expect((await runs()).length).toBe(before);
  await serves('two');
  const namesake = (
    await app.call('member', serviceDeploy, {
      params: { ...params, env: 'development' },
      query: { dryRun: true },
      body: { imageTag: 'two' },
    })
  ).body;
  expect((namesake as Plan).approval).toBeUndefined();
});

test('only somebody else who is a person of the team, or an administrator, approves; the pipeline runs as planned', async () => {
  const namesake = await service('development');
  const request = await asked(deployOf('three'));
  expect(request).toMatchObject({
    kind: 'PRODUCTION_CHANGE',
    title: 'Deploy berth with three',
    environmentClass: 'production',
    comment: 'Ships three',
    subject: { path: '/app/berth/production/service/berth' },
    can: { decide: 'OwnRequest', withdraw: true },
  });
  expect(request.differences[0]).toEqual({ field: 'image', label: 'Image tag', before: 'two', after: 'three' });
  expect(codeOf(await decide('member', request))).toBe('OwnRequest');
  expect(codeOf(await decide('serviceAccount', request))).toBe('ApproverMustBePerson');
  expect(codeOf(await decide('stranger', request))).toBe('RequestDoesNotExist');
  expect((await call('stranger', serviceApprovalView)).status).toBe(404);
  expect((await approval()).requests.map(({ id }) => id)).toEqual([request.id]);
  const inbox = (await app.call('owner', requestList, {})).body as Page<Request>;
  expect(inbox.content.map(({ id }) => id)).toContain(request.id);

  expect((await decide('owner', request, { status: 'APPROVED', comment: 'Go' })).body).toMatchObject({ status: 'APPROVED' });
  await serves('three');
  const [run] = await runs();
  expect(run).toMatchObject({ createdBy: { id: 'mats' }, facts: { imageTag: 'three' } });
  expect((await service('development')).status.serving).toBe(namesake.status.serving);
  expect(await approval()).toMatchObject({ isRequired: true, requests: [] });
});

test('of two approvers at the same time one starts the pipeline, once', async () => {
  const request = await asked(deployOf('three'));
  const before = (await runs()).length;
  const answers = await Promise.all([decide('owner', request), decide('administrator', request), decide('owner', request)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  await serves('three');
  expect((await runs()).length).toBe(before + 1);
});

test('a crash before the pipeline is written leaves the request pending', async () => {
  const request = await asked(deployOf('three'));
  const start = vi.spyOn(app.app.engine, 'start').mockRejectedValueOnce(new Error('The process ended'));
  expect((await decide('owner', request)).status).toBe(500);
  expect(start).toHaveBeenCalledOnce();
  expect(await view(request)).toMatchObject({ status: 'PENDING', actionedBy: null });
  expect((await decide('owner', request)).status).toBe(200);
  await serves('three');
});

describe('a request is void when its plan no longer fits', () => {
  test('because another change was made', async () => {
    const memory = { operation: 'serviceUpdate', body: await memoryBody(200) };
    const [scaled, deployed] = [await asked(memory), await asked(deployOf('three'), 'owner')];
    expect((await decide('member', deployed)).status).toBe(200);
    await serves('three');
    expect(await view(scaled)).toMatchObject({
      isVoid: true,
      voidReason: 'Mats Member approved another change of the service',
      can: { raiseAgain: true },
    });

    const again = await app.call('member', requestRaiseAgain, { params: { request: scaled.id }, body: {} });
    expect(again.status, JSON.stringify(again.body)).toBe(201);
    const request = again.body as Request;
    expect(request.differences.find(({ field }) => field === 'spec.resources.memoryMegabytes')).toMatchObject({ after: '200 MB' });
    expect((await decide('owner', request)).status).toBe(200);
    await serves('three');
    expect((await settings()).spec.resources.memoryMegabytes).toBe(200);
  });

  test('because the settings changed; raising again reverts nothing else', async () => {
    const request = await asked({ operation: 'serviceUpdate', body: await memoryBody(220) });
    await app.database.db
      .updateTable('service')
      .set(({ eb }) => ({ settings_version: eb('settings_version', '+', 1), active: true }))
      .where('app_id', '=', 'berth')
      .where('environment', '=', 'production')
      .execute();
    expect(errorsOf(await decide('owner', request))).toEqual([409, 'undefined: RequestVoid']);
    expect(await view(request)).toMatchObject({ isVoid: true, voidReason: expect.stringContaining('changed') as unknown });
    const again = (await app.call('member', requestRaiseAgain, { params: { request: request.id }, body: {} })).body as Request;
    expect(again.differences.filter(({ field }) => field.startsWith('spec.'))).toHaveLength(1);
    expect((await app.call('member', requestWithdraw, { params: { request: again.id }, body: {} })).status).toBe(200);
  });

  test('because the tag names another image', async () => {
    await push('moving', good('three'));
    const request = await asked(deployOf('moving'));
    await push('moving', good('four'));
    expect(errorsOf(await decide('owner', request))).toEqual([409, 'undefined: RequestVoid']);
    expect(await view(request)).toMatchObject({ voidReason: 'The image tag names another image now' });
    await serves('two');
  });

  test('because the tag of a copy names another image', async () => {
    await push('copied', good('three'));
    const body = { environment: 'production', name: 'berth-moved', imageTag: 'copied' };
    const from = { params: { app: 'berth', env: 'development' } };
    const answer = await app.call('member', serviceChangeRequest, {
      ...from,
      body: { operation: 'serviceCopy', service: 'berth', body },
    });
    await push('copied', good('four'));
    expect(errorsOf(await decide('owner', answer.body as Request))).toEqual([409, 'undefined: RequestVoid']);
    expect(await view(answer.body as Request)).toMatchObject({ voidReason: 'The image tag names another image now' });
  });

  test('because somebody pushed a commit that the build would contain', async () => {
    const { source } = app.adapters;
    await source.createRepository({ owner: 'berth', name: 'crane' }, good('four'), { message: 'Start', author: 'O', email: 'o@x' });
    const body = { githubRepositoryName: 'crane', buildNow: true };
    const request = await asked({ operation: 'serviceRepositorySet', body });
    const copy = await workingCopy(app, 'berth/crane', await app.apiToken('member', ['git']));
    await copy.commit({ 'added.txt': 'not approved' });
    expect(await copy.push()).toMatchObject({ code: 0 });
    await copy.remove();
    expect(errorsOf(await decide('owner', request))).toEqual([409, 'undefined: RequestVoid']);
    expect(await view(request)).toMatchObject({ voidReason: 'The repository has newer commits now' });
    const again = (await app.call('member', requestRaiseAgain, { params: { request: request.id }, body: {} })).body as Request;
    expect((await decide('owner', again)).status).toBe(200);
    await idle();
    const head = (await source.repository({ owner: 'berth', name: 'crane' }))?.headCommit;
    expect((await runs())[0]).toMatchObject({ status: { state: 'COMPLETED' }, facts: { commit: head?.slice(0, 7) } });
  });

  test('because the requester left the team', async () => {
    const request = await asked(deployOf('three'));
    const { db } = app.database;
    const membership = { team_id: 'cranes', identity_id: 'mats', role: 'MEMBER' as const };
    await db.deleteFrom('team_member').where('identity_id', '=', 'mats').execute();
    expect(errorsOf(await decide('owner', request))).toEqual([409, 'undefined: RequestVoid']);
    await db.insertInto('team_member').values(membership).execute();
    expect(await view(request)).toMatchObject({ voidReason: 'Mats Member may no longer change berth' });
    await serves('two');
  });

  test('and nobody raises again what is impossible', async () => {
    const request = await asked(deployOf('three'));
    await app.call('member', requestWithdraw, { params: { request: request.id }, body: {} });
    await app.database.db.updateTable('service').set({ active: false }).where('environment', '=', 'production').execute();
    const again = await app.call('member', requestRaiseAgain, { params: { request: request.id }, body: {} });
    await app.database.db.updateTable('service').set({ active: true }).where('environment', '=', 'production').execute();
    expect(errorsOf(again)).toEqual([409, 'undefined: ChangeNoLongerFits']);
  });
});

test('a running pipeline delays an approval, and voids nothing', async () => {
  const request = await asked(deployOf('three'));
  const newest = (await runs())[0]?.pipelineId ?? '';
  const set = (run: { readonly state: 'RUNNING' | 'COMPLETED'; readonly type: string }) =>
    app.database.db.updateTable('pipeline_run').set(run).where('pipeline_id', '=', newest).execute();
  // A type of another version: no worker here takes the run and ends it.
  await set({ state: 'RUNNING', type: 'DeployOfAnotherVersion' });
  expect(errorsOf(await decide('owner', request))).toEqual([409, 'undefined: DeployPipelineAlreadyRunning']);
  await set({ state: 'COMPLETED', type: 'Deploy' });
  expect((await decide('owner', request)).status).toBe(200);
  await serves('three');
});

test('a re-run repeats an approved change only, with the approved image', async () => {
  const { db } = app.database;
  const newest = async (): Promise<string> => (await runs())[0]?.pipelineId ?? '';
  const rerun = async (pipelineId: string) => {
    await db.updateTable('pipeline_run').set({ state: 'FAILED' }).where('pipeline_id', '=', pipelineId).execute();
    return app.call('member', pipelineRerun, { params: { pipelineId }, body: { from: 'start' } });
  };
  const digest = async (): Promise<string | undefined> => {
    const made = db.selectFrom('revision').select('image_digest').orderBy('created_at', 'desc').limit(1);
    return (await made.executeTakeFirst())?.image_digest;
  };
  await direct('three');
  const unapproved = await newest();
  expect(errorsOf(await rerun(unapproved))).toEqual([409, 'undefined: ApprovalRequired']);
  await demand(false);
  expect((await rerun(unapproved)).status).toBe(202);
  await idle();
  await demand(true);

  await push('tried', good('three'));
  expect((await decide('owner', await asked(deployOf('tried')))).status).toBe(200);
  await serves('tried');
  const [approved, image] = [await newest(), await digest()];
  await direct('two');
  await push('tried', good('four'));
  expect((await rerun(approved)).status).toBe(202);
  await serves('tried');
  expect(await digest()).toBe(image);
});

test('a rollback needs no approval, keeps its reason, and voids what waits', async () => {
  await direct('three');
  const request = await asked(deployOf('two'));
  const revisions = ((await call('member', revisionList)).body as Page<Revision>).content;
  const target =
    revisions.find(({ imageTag, status }) => imageTag === 'two' && status !== 'DELETED') ??
    revisions.find(({ imageTag }) => imageTag === 'two');
  const run = await app.run('member', serviceRollback, { params, body: { revision: target?.name, reason: 'Ships are late' } });
  expect(run).toMatchObject({ status: { state: 'COMPLETED' }, facts: { reason: 'Ships are late' } });
  expect(await view(request)).toMatchObject({ isVoid: true, voidReason: 'Mats Member changed the service meanwhile' });
});

test('new services, copies and deletions wait as well; a quickstart is made in development', async () => {
  expect(errorsOf(await call('member', serviceDelete))).toEqual([409, 'undefined: ExistingRevisions']);
  const copy = { environment: 'production', name: 'berth-copy', imageTag: 'two' };
  const from = { ...params, env: 'development' };
  expect(codeOf(await app.call('member', serviceCopy, { params: from, body: copy }))).toBe('ApprovalRequired');
  const answer = await app.call('member', serviceChangeRequest, {
    params: { app: 'berth', env: 'development' },
    body: { operation: 'serviceCopy', service: 'berth', body: copy },
  });
  expect(answer.body).toMatchObject({ title: 'Copy berth of development to berth-copy', environmentClass: 'production' });
  expect((await decide('owner', answer.body as Request)).status).toBe(200);
  await expect
    .poll(async () => (await app.call('member', serviceView, { params: { ...params, service: 'berth-copy' } })).body)
    .toMatchObject({ state: 'ACTIVE', status: { imageTag: 'two' } });
  const quickstart = { app: 'berth', environment: 'production', name: 'berth-quick', template: 'node-http-api' };
  expect(errorsOf(await app.call('member', quickstartServiceCreate, { body: quickstart }))).toEqual([
    409,
    'environment: QuickstartNeedsApproval',
  ]);
});

test('asks are checked as the write itself would be', async () => {
  expect(errorsOf(await ask({ operation: 'serviceRollback' }))).toEqual([400, 'operation: InvalidValue']);
  expect(errorsOf(await ask({ operation: 'serviceDeploy', body: {} }))).toEqual([400, 'imageTag: Required']);
  expect(errorsOf(await ask({ operation: 'revisionDelete' }))).toEqual([400, 'revision: Required']);
  expect(errorsOf(await ask(deployOf('none')))).toEqual([400, 'imageTag: ImageTagDoesNotExist']);
  const request = await asked(deployOf('three'));
  expect(codeOf(await ask(deployOf('three')))).toBe('RequestAlreadyPending');
  await app.call('member', requestWithdraw, { params: { request: request.id }, body: {} });
  const development = await app.call('member', serviceChangeRequest, {
    params: { app: 'berth', env: 'development' },
    body: { service: 'berth', ...deployOf('two') },
  });
  expect(codeOf(development)).toBe('ApprovalNotNeeded');
});

test('a pushed image waits for a person, only the newest, and its pusher cannot approve it', async () => {
  const body = await memoryBody((await settings()).spec.resources.memoryMegabytes);
  await demand(false);
  const policy = { type: 'REGEX', regex: { pattern: 'auto-.*' } };
  await app.run('member', serviceUpdate, { params, body: { ...body, spec: { ...body.spec, imageUpdatePolicy: policy } } });
  await demand(true);
  const waiting = async () => (await approval()).requests.map(({ title }) => title);
  const seenAt = async () =>
    (
      await app.database.db
        .selectFrom('service')
        .select('image_seen_at')
        .where('name', '=', 'berth')
        .where('environment', '=', 'production')
        .execute()
    )[0]?.image_seen_at ?? null;
  await expect.poll(seenAt).not.toBeNull();
  await push('auto-1', good('auto-1'));
  await expect.poll(waiting, { timeout: 30_000 }).toEqual(['Deploy berth with auto-1']);
  await push('auto-2', good('auto-2'));
  await expect.poll(waiting, { timeout: 30_000 }).toEqual(['Deploy berth with auto-2']);
  const [request] = (await approval()).requests;
  if (!request) throw new Error('no request');
  expect(request.requestedBy.displayName).toBe('Slipway');
  // As the deployer stores who pushed the image.
  await app.database.db
    .updateTable('request')
    .set({ revised_by: 'olga' })
    .where('number', '=', Number(request.id.slice(4)))
    .execute();
  const inbox = (await app.call('owner', requestList, {})).body as Page<Request>;
  expect(inbox.content.map(({ id }) => id)).not.toContain(request.id);
  expect(codeOf(await decide('owner', request))).toBe('OwnRequest');
  expect((await decide('member', request)).status).toBe(200);
  await serves('auto-2');
});

test('a restart that failed is run again without approval, because it keeps its image', async () => {
  await demand(true);
  const key = { app: 'berth', environment: 'production', service: 'berth' } as const;
  const allowed = (input: object): Promise<void> =>
    transaction(app.database.db, (trx) => refuseUnapprovedRerun(trx, key, { type: 'Deploy', pipelineId: 'pl_none', input }));
  await expect(allowed({ imageDigest: 'sha256:1' })).resolves.toBeUndefined();
  await expect(allowed({})).rejects.toMatchObject({ code: 'ApprovalRequired' });
});
