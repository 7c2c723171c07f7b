/** Services and their settings. Names, limits and defaults are the specification's (core §3, §9). */
import * as z from 'zod/mini';
import { Can, Environment, ImageTag, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { PipelinePage, PipelineQuery } from '../pipeline/pipeline.ts';
import { startsRun } from '../pipeline/plan.ts';
import { RevisionStatus } from './revision.ts';
import { ServiceSpec } from './service-spec.ts';

export const serviceStates = ['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING'] as const;

export const Service = z.object({
  name: z.string(),
  /** Name and environment at the specification's paths. */
  metadata: z.object({ name: z.string(), environment: Environment }),
  app: z.string(),
  environment: Environment,
  active: z.boolean(),
  state: z.enum(serviceStates),
  region: z.string(),
  githubRepositoryName: z.nullable(z.string()),
  repositoryUrl: z.nullable(z.string()),
  /** False if the stored settings cannot be read: `spec` then contains defaults, and the instances keep running. */
  areSettingsReadable: z.boolean(),
  /** Omits environment variables and file mounts for non-members (decisions §9). */
  spec: ServiceSpec,
  status: z.object({
    url: z.nullable(z.string()),
    health: RevisionStatus,
    serving: z.nullable(z.string()),
    imageTag: z.nullable(z.string()),
    replicasWanted: z.number(),
    replicasReady: z.number(),
    requestsPerMinute: z.nullable(z.number()),
    errorsPerMinute: z.nullable(z.number()),
    p95Ms: z.nullable(z.number()),
    memoryMegabytes: z.nullable(z.number()),
    lastDeployAt: z.nullable(Instant),
    /** The active pipeline of this service, otherwise null. */
    pipelineId: z.nullable(z.string()),
    /** Set while the service is stopped for lack of requests. An activation or the next deploy starts it again. */
    scaledDownAt: z.nullable(Instant),
    lastRequestAt: z.nullable(Instant),
  }),
  /** Increases with every applied change. */
  settingsVersion: z.number(),
  /** The pipeline that created it. In state NOT_CREATED the page shows its failure with Re-run and Discard. */
  creationPipelineId: z.nullable(z.string()),
  creationTimestamp: Instant,
  can: Can,
});
export type Service = z.infer<typeof Service>;

const tag = 'Services';
const services = '/api/v1/apps/{app}/{env}/services';
const oneCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist'] as const;
const route = routesIn({ tag, access: 'appMember' });
export const serviceList = route('serviceList', `GET ${services}`, {
  summary: 'Services of an app in one environment',
  access: 'signedIn',
  query: PageQuery,
  response: pageOf(Service),
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', ...pageCodes],
});
export const serviceView = route('serviceView', `GET ${services}/{service}`, {
  summary: 'One service',
  access: 'signedIn',
  response: Service,
  codes: oneCodes,
});
export const serviceDelete = route('serviceDelete', `DELETE ${services}/{service}`, {
  ...startsRun,
  summary: 'Delete a service without revisions; discards one that was not created',
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
    ...oneCodes,
    'NotAMember',
    'InvalidValue',
    'ExistingRevisions',
    'DeployPipelineAlreadyRunning',
  ],
});
export const serviceDeploy = route('serviceDeploy', `POST ${services}/{service}/deployments`, {
  ...startsRun,
  summary: 'Run the pipeline with an image tag',
  body: z.object({ imageTag: ImageTag }),
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
    ...oneCodes,
    'NotAMember',
    'Required',
    'InvalidValue',
    'DoesNotMatchPattern',
    'ImageTagDoesNotExist',
    'DeployPipelineAlreadyRunning',
    'ServiceInactive',
    'ServiceNotCreated',
    'SettingsUnreadable',
  ],
});
export const serviceActivation = route('serviceActivation', `PUT ${services}/{service}/activation`, {
  ...startsRun,
  summary: 'Activate or deactivate: deactivating stops all instances',
  body: z.object({ active: z.boolean({ error: 'Required' }) }),
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
    ...oneCodes,
    'NotAMember',
    'Required',
    'InvalidValue',
    'DeployPipelineAlreadyRunning',
    'ServiceNotCreated',
    'SettingsUnreadable',
    'NothingChanged',
  ],
});
export const ServiceTag = z.object({
  tag: z.string(),
  digest: z.string(),
  sizeBytes: z.number(),
  pushedAt: Instant,
  isServing: z.boolean(),
  /** Whether the whole tag matches the requested pattern. Null without a pattern. */
  isMatch: z.nullable(z.boolean()),
});
export const serviceTagList = route('serviceTagList', `GET ${services}/{service}/tags`, {
  summary: "Tags of the service's image repository, newest first; with a pattern of the image update policy, which of them match",
  query: z.object({ pattern: z.optional(z.string().check(z.maxLength(500, { error: 'ExceedsMaximumLength' }))) }),
  response: z.array(ServiceTag),
  codes: [...oneCodes, 'NotAMember', 'EngineUnavailable', 'NotARegularExpression', 'ExceedsMaximumLength'],
});
export const servicePipelineList = route('servicePipelineList', `GET ${services}/{service}/pipelines`, {
  summary: 'Pipelines of a service, newest first',
  tag: 'Pipelines',
  access: 'signedIn',
  query: PipelineQuery,
  response: PipelinePage,
  codes: [...oneCodes, ...pageCodes],
});
