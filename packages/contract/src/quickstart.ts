/** Quickstart: creates a running service from nothing, and reports progress. */
import * as z from 'zod/mini';
import { AppName, DisplayName, Environment, RequiredText, ServiceName, nameCodes } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';
import { PipelineRun } from './pipeline/pipeline.ts';

export const Template = z.object({
  id: z.string(),
  displayName: z.string(),
  description: z.string(),
  features: z.array(z.string()),
  hasUrl: z.boolean(),
});
export type Template = z.infer<typeof Template>;

export const QuickstartApplicationCreate = z.object({
  id: AppName,
  displayName: z.optional(DisplayName),
  teamId: RequiredText,
  template: RequiredText,
  /** Also creates a PostgreSQL database that the service reads and writes. */
  withDatabase: z.optional(z.boolean()),
  /** Also creates a topic with its schema and an account, which the service writes and reads. */
  withStream: z.optional(z.boolean()),
});
export type QuickstartApplicationCreate = z.infer<typeof QuickstartApplicationCreate>;
export const QuickstartServiceCreate = z.object({
  app: RequiredText,
  environment: z._default(Environment, 'development'),
  name: ServiceName,
  template: RequiredText,
});

/** Names of the parts that a quickstart creates with a new app. The app is new, so that its names are free. */
export const quickstartParts = (app: string) => ({
  database: 'main',
  schema: 'event',
  topic: 'events',
  account: 'main',
  accountGroup: `${app.slice(0, 50).replace(/-+$/, '')}-stream`,
});

/** Service names start with the app's name and a dash, or equal the app's name (decisions §1). */
export const serviceNameRule = (app: string, service: string): true | 'ServiceNameMustStartWithApplicationName' =>
  service === app || service.startsWith(`${app}-`) ? true : 'ServiceNameMustStartWithApplicationName';

const tag = 'Quickstart';
const base = '/api/v1/quickstart';
const formCodes = [...nameCodes, 'TemplateDoesNotExist', 'NotAMember', 'WorkflowExecutionAlreadyStarted'] as const;
const route = routesIn({ tag, access: 'signedIn' });
export const quickstartTemplateList = route('quickstartTemplateList', `GET ${base}/templates`, {
  summary: 'Templates',
  response: z.array(Template),
  codes: [],
});
export const quickstartApplicationCreate = route('quickstartApplicationCreate', `POST ${base}/applications`, {
  summary: 'Make an app with repository, image and a running service',
  description:
    'With a database or a stream, the first revision of the service has their secrets. If a step fails, the pipeline removes everything that it created.',
  body: QuickstartApplicationCreate,
  response: PipelineRun,
  status: 202,
  codes: [...formCodes, 'TeamDoesNotExist', 'ApplicationAlreadyExists', 'ConnectionsNotLeft'],
});
export const quickstartServiceCreate = route('quickstartServiceCreate', `POST ${base}/services`, {
  summary: 'Make a service with repository and image in an app',
  body: QuickstartServiceCreate,
  response: PipelineRun,
  status: 202,
  codes: [
    ...formCodes,
    'ApplicationDoesNotExists',
    'ApplicationNotCreated',
    'QuickstartNeedsApproval',
    'ProductionFrozen',
    'ServiceAlreadyExists',
    'AppRepositoryAlreadyExists',
    'GithubRepositoryAlreadyExists',
    'ServiceNameMustStartWithApplicationName',
  ],
});
export const quickstartPipelineView = route('quickstartPipelineView', `GET ${base}/pipelines/{pipelineId}`, {
  summary: 'Progress of a quickstart',
  response: PipelineRun,
  codes: ['PipelineDoesNotExist'],
});
