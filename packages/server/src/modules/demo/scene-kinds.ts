/** Kinds of objects in the scene: how each is found, and how it is removed through the API. */
import { applicationDelete, applicationView } from '@slipway/contract/application.ts';
import { databaseActivation, databaseDelete, databaseView } from '@slipway/contract/database/database.ts';
import { flagDelete, flagView } from '@slipway/contract/flag/flag.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { monitorDelete, monitorView } from '@slipway/contract/monitoring/monitor.ts';
import { secretGroupDelete, secretGroupView } from '@slipway/contract/secret/secret-group.ts';
import { revisionDelete, revisionList } from '@slipway/contract/service/revision.ts';
import { serviceActivation, serviceDelete, serviceView } from '@slipway/contract/service/service.ts';
import { accountDelete, accountView } from '@slipway/contract/streaming/account.ts';
import { schemaDelete, schemaView } from '@slipway/contract/streaming/schema.ts';
import { topicDelete, topicView } from '@slipway/contract/streaming/topic.ts';
import { teamDelete, teamView } from '@slipway/contract/team.ts';
import type { SceneApi } from './scene-api.ts';
import type { Names } from './scene.sql.ts';

export interface SceneKind {
  readonly view: RouteShape;
  remove(api: SceneApi, params: Names): Promise<void>;
}

const simple = (view: RouteShape, remove: RouteShape): SceneKind => ({
  view,
  remove: async (api, params) => api.done(await api.call(remove, { params })),
});

/** A service is deleted after its revisions, and a serving revision only after the service was deactivated. */
const removeService = async (api: SceneApi, params: Names): Promise<void> => {
  const found = await api.call(serviceView, { params });
  if (found.state === 'ACTIVE' && found.active) await api.done(await api.call(serviceActivation, { params, body: { active: false } }));
  const { content } = await api.call(revisionList, { params, query: { size: 100 } });
  for (const { name, status } of content)
    if (status !== 'DELETED') await api.done(await api.call(revisionDelete, { params: { ...params, revision: name } }));
  await api.done(await api.call(serviceDelete, { params }));
};

/** A deactivated database is deleted without a last backup. */
const removeDatabase = async (api: SceneApi, params: Names): Promise<void> => {
  const { state, active } = await api.call(databaseView, { params });
  if (state === 'ACTIVE' && active) await api.done(await api.call(databaseActivation, { params, body: { active: false } }));
  await api.done(await api.call(databaseDelete, { params }));
};

export const sceneKinds: Readonly<Record<string, SceneKind>> = {
  team: simple(teamView, teamDelete),
  application: simple(applicationView, applicationDelete),
  service: { view: serviceView, remove: removeService },
  database: { view: databaseView, remove: removeDatabase },
  schema: simple(schemaView, schemaDelete),
  topic: simple(topicView, topicDelete),
  account: simple(accountView, accountDelete),
  secretGroup: simple(secretGroupView, secretGroupDelete),
  flag: simple(flagView, flagDelete),
  monitor: simple(monitorView, monitorDelete),
};
