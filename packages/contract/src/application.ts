/** Applications: the specification's team-service paths, and the dashboard's list with health and last deploy. */
import * as z from 'zod/mini';
import { appKind } from './kinds/application.kind.ts';
import { AppName, Can, DisplayName, Instant, MacId, PageQuery, RequiredText, pageCodes, pageOf, nameCodes } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';
import { resource, waitingRoutes } from './resource.ts';
import { PipelineRun, PipelineState } from './pipeline/pipeline.ts';
import { EntityStatus } from './team.ts';

export const appStates = ['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING'] as const;
export const Application = z.object({
  id: z.string(),
  displayName: z.string(),
  teamId: z.string(),
  teamName: z.string(),
  macId: z.nullable(z.string()),
  /** The same values at the paths of the specification's second part. */
  metadata: z.object({ name: z.string() }),
  spec: z.object({ displayName: z.string(), teamRef: z.object({ name: z.string() }), macAppId: z.nullable(z.string()) }),
  status: EntityStatus,
  state: z.enum(appStates),
  /** The pipeline that creates, changes or deletes the app; the page shows its progress or failure. */
  pipelineId: z.nullable(z.string()),
  serviceCount: z.number(),
  can: Can,
});
export type Application = z.infer<typeof Application>;

/** Worst first. The environment mark shows the worst. */
export const healthStates = ['FAILING', 'PENDING', 'HEALTHY', 'NO_INSTANCES', 'INACTIVE', 'NONE'] as const;
export const ServiceHealth = z.enum(healthStates);
export type ServiceHealth = z.infer<typeof ServiceHealth>;

export const ApplicationSummary = z.object({
  id: z.string(),
  displayName: z.string(),
  teamId: z.string(),
  teamName: z.string(),
  macId: z.nullable(z.string()),
  state: z.enum(appStates),
  isMine: z.boolean(),
  health: z.object({ development: ServiceHealth, production: ServiceHealth }),
  lastDeploy: z.nullable(
    z.object({
      at: Instant,
      by: z.string(),
      revision: z.string(),
      pipelineId: z.nullable(z.string()),
      env: z.string(),
      state: PipelineState,
    }),
  ),
  running: z.nullable(
    z.object({
      pipelineId: z.string(),
      pipelineType: z.string(),
      stepsDone: z.number(),
      stepsTotal: z.number(),
    }),
  ),
  /** Completed and failed deploys per day for the last 14 days, oldest first. */
  deploys: z.array(z.object({ completed: z.number(), failed: z.number() })),
});
export type ApplicationSummary = z.infer<typeof ApplicationSummary>;

export const ApplicationCreate = z.object({
  id: AppName,
  displayName: DisplayName,
  teamId: RequiredText,
  macId: z.optional(z.nullable(MacId)),
});
export type ApplicationCreate = z.infer<typeof ApplicationCreate>;
/** `macId` is the one that the app has, or sets it once. */
export const ApplicationUpdate = z.object({ displayName: DisplayName, teamId: RequiredText, macId: z.optional(z.nullable(MacId)) });

const fields = {
  fieldLabel: (field: string): string | undefined => (field === 'teamId' ? 'Team' : undefined),
  aliases: { 'metadata.name': 'id', 'spec.displayName': 'displayName', 'spec.teamRef.name': 'teamId', 'spec.macAppId': 'macId' },
};
const tag = 'Applications';
const base = '/api/team-service/applications';
const made = resource({
  kind: appKind,
  id: 'application',
  tag,
  path: `${base}/v1`,
  name: 'app',
  view: Application,
  create: ApplicationCreate,
  update: ApplicationUpdate,
  query: z.extend(PageQuery, {
    teamId: z.optional(z.string()),
    identityId: z.optional(z.string()),
    macAppId: z.optional(z.string()),
    application: z.optional(z.string()),
  }),
  access: { read: 'signedIn', create: 'signedIn', write: 'appOwner' },
  codes: {
    missing: 'ApplicationDoesNotExists',
    taken: 'ApplicationAlreadyExists',
    form: [...nameCodes, 'DoesNotMatchPattern', 'TeamDoesNotExist', 'NotAMember', 'MacIdDoesNotExist', 'MacIdNotActive', 'MacIdInUse'],
    kept: ['ExistingServices', 'ExistingDatabases', 'ExistingTopics'],
  },
  summaries: { create: 'Create an app', update: 'Change the display name or the team', remove: 'Delete an app without services' },
});
const { create, update, ...others } = made;
/** Version 2 answers the run of a write's pipeline. An app is read at version 1 alone. */
export const applicationResource = {
  ...others,
  list: { ...made.list, path: `${base}/v2` },
  create: {
    ...create,
    ...fields,
    codes: [...create.codes, 'MacIdOnOtherPlatform'],
    path: `${base}/v2`,
    summary: 'Create a blank app, or one of the catalogue (macAppId)',
    query: z.object({ macAppId: z.optional(z.string()), macPlatformId: z.optional(z.string()) }),
  },
  update: {
    ...update,
    ...fields,
    path: `${base}/v2/{app}`,
    summary: 'Change the display name or the team, or set the macId',
    codes: [...update.codes, 'MacIdAlreadySet'],
  },
  remove: { ...made.remove, path: `${base}/v2/{app}` },
} as const;
export const {
  list: applicationList,
  view: applicationView,
  create: applicationCreate,
  update: applicationUpdate,
  remove: applicationDelete,
} = applicationResource;
const waiting = waitingRoutes(made, `${base}/v1`);
export const applicationWaiting = {
  ...waiting,
  view: applicationView,
  // The specification's version 1 answers the run, too.
  create: {
    ...waiting.create,
    ...fields,
    status: 202,
    response: PipelineRun,
    description: 'Waits for the pipeline before it answers its run.',
  },
  update: { ...waiting.update, ...fields, codes: applicationUpdate.codes },
};
export const {
  list: applicationListV1,
  create: applicationCreateV1,
  update: applicationUpdateV1,
  remove: applicationDeleteV1,
} = applicationWaiting;
const route = routesIn({ tag, access: 'signedIn' });
export const applicationMacIdSet = route('applicationMacIdSet', `PATCH ${base}/v1/{app}`, {
  summary: 'Set the macId, once',
  access: 'appOwner',
  body: z.object({ macId: MacId }),
  aliases: { 'spec.macAppId': 'macId' },
  response: Application,
  codes: [
    'ApplicationDoesNotExists',
    'NotAnOwner',
    'Required',
    'DoesNotMatchPattern',
    'MacIdAlreadySet',
    'MacIdDoesNotExist',
    'MacIdNotActive',
    'MacIdInUse',
  ],
});

export const ApplicationSummaryPage = z.extend(pageOf(ApplicationSummary), {
  /**
   * Counts for the tabs and facets of everything that matches the text, at most a thousand apps per tab. Lists only the teams with the most
   * apps.
   */
  counts: z.object({
    mine: z.number(),
    all: z.number(),
    teams: z.array(z.object({ id: z.string(), name: z.string(), count: z.number() })),
    health: z.record(z.string(), z.number()),
  }),
});
export const applicationSummaryList = route('applicationSummaryList', 'GET /api/v1/apps', {
  summary: "The dashboard: apps with both environments' health and the last deploy",
  query: z.extend(PageQuery, {
    mine: z._default(z.stringbool(), false),
    team: z.optional(z.union([z.string(), z.array(z.string())])),
    health: z.optional(z.union([ServiceHealth, z.array(ServiceHealth)])),
  }),
  response: ApplicationSummaryPage,
  codes: pageCodes,
});
export const productView = route('productView', 'GET /api/team-service/admiral/products/{productCode}', {
  summary: "The catalogue's id of a product",
  response: z.object({ id: z.string() }),
  codes: ['MISSING_RESOURCE'],
});
