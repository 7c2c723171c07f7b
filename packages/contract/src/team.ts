/** Teams, which own apps. The paths are the specification's team-service paths, v1 (waits) and v2 (answers a pipeline run). */
import * as z from 'zod/mini';
import { Can, DisplayName, Instant, PageQuery, TeamCode, nameCodes } from './kernel/fields.ts';
import { changesOf, resource, waitingRoutes } from './resource.ts';
import { teamKind } from './kinds/team.kind.ts';

export const EntityStatus = z.object({ creationTimestamp: Instant, creatorIdentityId: z.string() });

export const Team = z.object({
  id: z.string(),
  displayName: z.string(),
  azureGroupId: z.nullable(z.string()),
  azureGroupName: z.nullable(z.string()),
  githubTeamId: z.nullable(z.string()),
  githubTeamName: z.nullable(z.string()),
  /** Whether changes of services in production need the approval of a second person. */
  needsProductionApproval: z.boolean(),
  ownerIds: z.array(z.string()),
  memberIds: z.array(z.string()),
  status: EntityStatus,
  /** ACTIVE, or a state of its unfinished pipeline. */
  state: z.enum(['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING']),
  applicationCount: z.number(),
  can: Can,
});
export type Team = z.infer<typeof Team>;

/** Name or id of a group in another system. Null if the team is not linked. */
const GroupText = z.nullable(
  z.string().check(z.trim(), z.minLength(1, { error: 'Required', abort: true }), z.maxLength(100, { error: 'ExceedsMaximumLength' })),
);
/** The team's group in the company directory, and its team at the source-code host (`organization/team`). */
const links = {
  azureGroupId: z.optional(GroupText),
  azureGroupName: z.optional(GroupText),
  githubTeamId: z.optional(GroupText),
  githubTeamName: z.optional(GroupText),
};

const identityIds = z.array(z.string()).check(z.maxLength(500, { error: 'ExceedsMaximumLength' }));
export const TeamCreate = z.object({
  id: TeamCode,
  displayName: DisplayName,
  ownerIds: identityIds.check(z.minLength(1, { error: 'TeamNeedsOwner' })),
  memberIds: z._default(identityIds, []),
  /** Absent on creation, changes need no approval. No default: generated clients would demand the field. */
  needsProductionApproval: z.optional(z.boolean({ error: 'InvalidValue' })),
  ...links,
});
export type TeamCreate = z.infer<typeof TeamCreate>;
export const TeamUpdate = changesOf(z.omit(TeamCreate, { id: true }).shape);

const personalTeamLength = 25;
/** Derives the code of a personal team from the email address (specification §5). Returns undefined if the address yields no valid code. */
export const personalTeamId = (email: string): string | undefined => {
  const [local = ''] = email.split('@');
  const code = local
    .toLowerCase()
    .replaceAll('.', '-')
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, personalTeamLength);
  const named = TeamCode.safeParse(code.replace(/^-+|-+$/g, '').replace(/-{2,}/g, '-'));
  return named.success ? named.data : undefined;
};

const base = '/api/team-service/teams';
export const teamResource = resource({
  kind: teamKind,
  path: `${base}/v2`,
  name: 'team',
  view: Team,
  create: TeamCreate,
  update: TeamUpdate,
  query: z.extend(PageQuery, {
    identityId: z.optional(z.string()),
    applicationId: z.optional(z.string()),
    team: z.optional(z.string()),
  }),
  access: { read: 'signedIn', create: 'signedIn', write: 'teamOwner' },
  codes: {
    missing: 'TeamDoesNotExist',
    taken: 'TeamAlreadyExists',
    form: [
      ...nameCodes,
      'TeamMustContainCurrentUser',
      'TeamMustContainCurrentServicePrincipal',
      'TeamMustIncludeValidUsers',
      'TeamServicePrincipalsMustBeValid',
      'TeamNeedsOwner',
    ],
    kept: ['TeamExistingApplications'],
  },
  summaries: { update: 'Change name and members', remove: 'Delete a team without apps' },
});
export const { list: teamList, view: teamView, create: teamCreate, update: teamUpdate, remove: teamDelete } = teamResource;
export const teamWaiting = waitingRoutes(teamResource, `${base}/v1`);
export const { list: teamListV1, view: teamViewV1, create: teamCreateV1, update: teamUpdateV1, remove: teamDeleteV1 } = teamWaiting;
