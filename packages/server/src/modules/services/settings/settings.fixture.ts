/** Calls shared by tests of settings and rollbacks: they change the service `berth` over HTTP. */
import { expect } from 'vitest';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionList, type Revision } from '@slipway/contract/service/revision.ts';
import { serviceSettingsView, serviceUpdate, type ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import type { SourceFile } from '#ports/builder.ts';
import { errorsOf, type Request, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';

export type Change = (settings: ServiceSettingsView) => void;
export const params = { app: 'berth', env: 'development', service: 'berth' };

export const makeBerth = async (app: TestApp): Promise<void> => {
  const body = { id: 'berth', teamId: 'cranes', template: 'node-http-api' };
  expect(await app.run('member', quickstartApplicationCreate, { body })).toMatchObject({ status: { state: 'COMPLETED' } });
};

export const berthOf = (app: () => TestApp) => {
  const call = (route: RouteShape, request: Request = {}, actor: Actor = 'member') =>
    app().call(actor, route, { ...request, params: { ...params, ...request.params } });
  const run = (route: RouteShape, request: Request = {}) =>
    app().run('member', route, { ...request, params: { ...params, ...request.params } });
  const settings = async () => (await call(serviceSettingsView)).body as ServiceSettingsView;
  const service = async () => (await call(serviceView)).body as Service;
  const changed = async (change: Change): Promise<object> => {
    const { githubRepositoryName, active, spec, settingsVersion } = await settings();
    const body = { githubRepositoryName, active, spec, settingsVersion } as ServiceSettingsView;
    change(body);
    return body;
  };
  const url = async () => (await service()).status.url ?? '';
  return {
    call,
    run,
    settings,
    service,
    changed,
    url,
    revisions: async () => ((await call(revisionList)).body as Page<Revision>).content,
    async plan(change: Change): Promise<Plan> {
      const answer = await call(serviceUpdate, { query: { dryRun: true }, body: await changed(change) });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body as Plan;
    },
    apply: async (change: Change): Promise<PipelineRun> => run(serviceUpdate, { body: await changed(change) }),
    refused: async (change: Change) => errorsOf(await call(serviceUpdate, { body: await changed(change) })),
    instances: async () => (await app().adapters.runtime.list()).filter(({ state }) => state === 'READY').map(({ id }) => id),
    environment: async () => JSON.parse((await app().get(`${await url()}env`)).text) as Record<string, string>,
    push: (tag: string, files: readonly SourceFile[], repository = 'berth/berth') =>
      app().adapters.builder.build({ buildId: `build-${tag}`, files, repository, tag, labels: {}, onLog: () => {} }),
    /** Returns all rows that a write could change. */
    async rows() {
      const { db } = app().database;
      return JSON.stringify([
        await db.selectFrom('service').selectAll().orderBy('id').execute(),
        await db.selectFrom('revision').selectAll().orderBy('id').execute(),
        await db.selectFrom('pipeline_run').selectAll().orderBy('run_id').execute(),
        await db.selectFrom('activity').selectAll().orderBy('id').execute(),
        await db.selectFrom('secret_group').selectAll().orderBy('id').execute(),
      ]);
    },
  };
};

/** Returns the codes of the completed steps, which excludes skipped ones. */
export const done = (run: PipelineRun): string[] => run.status.steps.filter(({ state }) => state === 'COMPLETED').map(({ code }) => code);
