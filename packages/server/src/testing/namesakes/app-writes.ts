/** Writes of apps and quickstarts, and of the runs that writes start. */
import { expect } from 'vitest';
import { applicationDelete, applicationMacIdSet, applicationUpdate } from '@slipway/contract/application.ts';
import { pipelineCancel, pipelineRerun, pipelineStopWaiting, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate, quickstartServiceCreate } from '@slipway/contract/quickstart.ts';
import { serviceCreate } from '@slipway/contract/service/service-operations.ts';
import { serviceDeploy } from '@slipway/contract/service/service.ts';
import { eventually, PREFIX_APP, SERVICE, view, type Place, type World, type Write } from './write.ts';

const quick = `${SERVICE}-quick`;
const template = 'node-http-api';

/** Id of the newest pipeline of the service. */
const newest = async ({ app }: World, { app: app_id, env }: Place): Promise<string> => {
  const { id } = await app.database.db
    .selectFrom('pipeline')
    .select('id')
    .where('subject', '=', `service:${app_id}/${env}/${SERVICE}`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
};
const ofNewest = async (world: World, place: Place) => ({ params: { pipelineId: await newest(world, place) } });
/** Until the newest run waits for an instance that does not get healthy. */
const waiting = async (world: World, place: Place) => {
  const { params } = await ofNewest(world, place);
  await eventually(async () =>
    expect((await view<PipelineRun>(world, place, pipelineView, params)).can, 'of the deployment').toMatchObject({ stopWaiting: true }),
  );
};
const deployAiling = async (world: World, place: Place) => {
  const { status } = await world.app.call('member', serviceDeploy, {
    params: { ...place, service: SERVICE },
    body: { imageTag: 'ailing' },
  });
  expect(status).toBe(202);
  await waiting(world, place);
};
const stopWaiting = async (world: World, place: Place) => {
  await waiting(world, place);
  await world.app.call('member', pipelineStopWaiting, await ofNewest(world, place));
};

export const runWrites: readonly Write[] = [
  { route: pipelineStopWaiting, before: deployAiling, request: ofNewest, endsAs: 'FAILED' },
  { route: pipelineRerun, request: ofNewest, meanwhile: stopWaiting, endsAs: 'FAILED' },
  { route: pipelineCancel, before: deployAiling, request: ofNewest, endsAs: 'CANCELED' },
];

export const appWrites: readonly Write[] = [
  // A quickstart makes a repository, which an app can do once for each name.
  { route: serviceCreate, isInNamesakes: 'only', request: { body: { name: quick } } },
  {
    route: quickstartServiceCreate,
    request: (_, { app, env }) => ({ body: { app, environment: env, name: quick, template } }),
  },
  { route: quickstartApplicationCreate, request: { body: { id: `${PREFIX_APP}-new`, teamId: 'cranes', template } } },
  { route: applicationUpdate, actor: 'owner', request: { body: { displayName: 'Berths of today', teamId: 'cranes' } } },
  { route: applicationMacIdSet, actor: 'owner', request: { body: { macId: 'MAC-1' } } },
  { route: applicationDelete, actor: 'owner', request: { params: { app: PREFIX_APP } } },
];
