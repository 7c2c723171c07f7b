/** Routes of the quickstart. */
import {
  quickstartApplicationCreate,
  quickstartPipelineView,
  quickstartServiceCreate,
  quickstartTemplateList,
} from '@slipway/contract/quickstart.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { runFor } from '#modules/pipelines/index.ts';
import type { AreaContext } from '#modules/resources/index.ts';
import { createVault } from '#modules/secret-groups/index.ts';
import { serviceEngines, type ServiceOptions } from '#modules/services/index.ts';
import { streamDeps } from '#modules/streaming/index.ts';
import { quickstartApplication, quickstartService, type QuickstartDeps } from './quickstart.ts';
import { quickstartPartsOf } from './quickstart-parts.ts';
import { quickstartPipelines } from './quickstart.pipeline.ts';
import { templateFiles, templateList, type TemplateFiles } from './templates.ts';

const quickstartRoutes = (deps: QuickstartDeps): Handler[] => [
  handle(quickstartTemplateList, async () => templateList().map((template) => ({ ...template, features: [...template.features] }))),
  handle(quickstartApplicationCreate, async (c) => runFor(deps.db, await quickstartApplication(deps, c.caller, c.body), c.caller)),
  handle(quickstartServiceCreate, async (c) => runFor(deps.db, await quickstartService(deps, c.caller, c.body), c.caller)),
  handle(quickstartPipelineView, (c) => runFor(deps.db, c.params.pipelineId, c.caller)),
];

export interface QuickstartOptions extends ServiceOptions {
  /** Source of a quickstart's first commit. */
  readonly templates?: TemplateFiles;
}

export const quickstartArea = (context: AreaContext & QuickstartOptions) => {
  const { database, adapters, engine, templates = templateFiles } = context;
  const { registry, source } = adapters;
  const { db, pool } = database;
  const vault = createVault(pool, adapters.keys);
  const parts = quickstartPartsOf({ db, databases: { db, databases: adapters.databases, vault }, entities: streamDeps(context).entities });
  const pipelines = quickstartPipelines(serviceEngines(context), templates, parts);
  return {
    routes: quickstartRoutes({ db, engine, registryHost: registry.host, source, pipelines, parts }),
    pipelines: Object.values(pipelines),
  };
};
