/** Paths of the quickstart. */
import {
  quickstartApplicationCreate,
  quickstartPipelineView,
  quickstartServiceCreate,
  quickstartTemplateList,
} from '@slipway/contract/quickstart.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { runFor } from '#modules/pipelines/index.ts';
import { quickstartApplication, quickstartService, type QuickstartDeps } from './quickstart.ts';
import { templateList } from './templates.ts';

export const quickstartRoutes = (deps: QuickstartDeps): Handler[] => [
  handle(quickstartTemplateList, async () => templateList().map((template) => ({ ...template, features: [...template.features] }))),
  handle(quickstartApplicationCreate, async (c) => runFor(deps.db, await quickstartApplication(deps, c.caller, c.body), c.caller)),
  handle(quickstartServiceCreate, async (c) => runFor(deps.db, await quickstartService(deps, c.caller, c.body), c.caller)),
  handle(quickstartPipelineView, (c) => runFor(deps.db, c.params.pipelineId, c.caller)),
];
