/** Teams: who owns apps. The paths are the team-service's of the specification, v1 (waits) and v2 (answers a pipeline run). */
import * as z from 'zod/mini';
import { Can, DisplayName, Instant, PageQuery, TeamCode, pageCodes, pageOf } from './fields.ts';
import { route } from './kernel.ts';
import { PipelineRun } from './pipeline.ts';

export const EntityStatus = z.object({ creationTimestamp: Instant, creatorIdentityId: z.string() });

export const Team = z.object({
  id: z.string(),
  displayName: z.string(),
  azureGroupId: z.nullable(z.string()),
  azureGroupName: z.nullable(z.string()),
  githubTeamId: z.nullable(z.string()),
  githubTeamName: z.nullable(z.string()),
  ownerIds: z.array(z.string()),
  memberIds: z.array(z.string()),
  status: EntityStatus,
  /** ACTIVE, or what its pipeline has not finished. */
  state: z.enum(['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING']),
  applicationCount: z.number(),
  can: Can,
});
export type Team = z.infer<typeof Team>;

const identityIds = z.array(z.string()).check(z.maxLength(500, { error: 'ExceedsMaximumLength' }));
export const TeamCreate = z.object({
  id: TeamCode,
  displayName: DisplayName,
  ownerIds: identityIds.check(z.minLength(1, { error: 'TeamNeedsOwner' })),
  memberIds: z._default(identityIds, []),
});
export type TeamCreate = z.infer<typeof TeamCreate>;
export const TeamUpdate = z.omit(TeamCreate, { id: true });

const tag = 'Teams';
const access = 'signedIn';
const query = z.extend(PageQuery, {
  identityId: z.optional(z.string()),
  applicationId: z.optional(z.string()),
  team: z.optional(z.string()),
});
const formCodes = [
  'Required',
  'KebabCase',
  'InvalidName',
  'MinimumLength',
  'ExceedsMaximumLength',
  'InvalidValue',
  'TeamMustContainCurrentUser',
  'TeamMustContainCurrentServicePrincipal',
  'TeamMustIncludeValidUsers',
  'TeamNeedsOwner',
] as const;
const createCodes = [...formCodes, 'TeamAlreadyExists', 'WorkflowExecutionAlreadyStarted'] as const;
const changeCodes = [...formCodes, 'TeamDoesNotExist', 'NotAnOwner', 'WorkflowExecutionAlreadyStarted'] as const;
const deleteCodes = ['TeamDoesNotExist', 'NotAnOwner', 'TeamExistingApplications', 'WorkflowExecutionAlreadyStarted'] as const;
const base = '/api/team-service/teams';

export const teamListV1 = route({
  id: 'teamListV1',
  method: 'GET',
  path: `${base}/v1`,
  summary: 'Teams',
  tag,
  access,
  query,
  response: pageOf(Team),
  codes: pageCodes,
});
export const teamList = route({
  id: 'teamList',
  method: 'GET',
  path: `${base}/v2`,
  summary: 'Teams',
  tag,
  access,
  query,
  response: pageOf(Team),
  codes: pageCodes,
});
export const teamViewV1 = route({
  id: 'teamViewV1',
  method: 'GET',
  path: `${base}/v1/{team}`,
  summary: 'One team',
  tag,
  access,
  response: Team,
  codes: ['TeamDoesNotExist'],
});
export const teamView = route({
  id: 'teamView',
  method: 'GET',
  path: `${base}/v2/{team}`,
  summary: 'One team',
  tag,
  access,
  response: Team,
  codes: ['TeamDoesNotExist'],
});
export const teamCreateV1 = route({
  id: 'teamCreateV1',
  method: 'POST',
  path: `${base}/v1`,
  summary: 'Create a team and wait for it',
  tag,
  access,
  body: TeamCreate,
  response: z.union([Team, PipelineRun]),
  codes: createCodes,
});
export const teamCreate = route({
  id: 'teamCreate',
  method: 'POST',
  path: `${base}/v2`,
  summary: 'Create a team',
  tag,
  access,
  body: TeamCreate,
  response: PipelineRun,
  status: 202,
  codes: createCodes,
});
export const teamUpdateV1 = route({
  id: 'teamUpdateV1',
  method: 'PUT',
  path: `${base}/v1/{team}`,
  summary: 'Change a team and wait for it',
  tag,
  access: 'teamOwner',
  body: TeamUpdate,
  response: z.union([Team, PipelineRun]),
  codes: changeCodes,
});
export const teamUpdate = route({
  id: 'teamUpdate',
  method: 'PUT',
  path: `${base}/v2/{team}`,
  summary: 'Change name and members',
  tag,
  access: 'teamOwner',
  body: TeamUpdate,
  response: PipelineRun,
  status: 202,
  codes: changeCodes,
});
export const teamDeleteV1 = route({
  id: 'teamDeleteV1',
  method: 'DELETE',
  path: `${base}/v1/{team}`,
  summary: 'Delete a team and wait for it',
  tag,
  access: 'teamOwner',
  response: z.union([z.null(), PipelineRun]),
  codes: deleteCodes,
});
export const teamDelete = route({
  id: 'teamDelete',
  method: 'DELETE',
  path: `${base}/v2/{team}`,
  summary: 'Delete a team without apps',
  tag,
  access: 'teamOwner',
  response: PipelineRun,
  status: 202,
  codes: deleteCodes,
});
