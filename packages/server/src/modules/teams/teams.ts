/** Teams: their rows in the contract's shape, membership rules, and conditions for deletion. */
import { sql } from 'kysely';
import { keepOmitted } from '@slipway/contract/resource.ts';
import { ownerRule } from '@slipway/contract/kernel/rights.ts';
import { teamResource, teamWaiting, type Team, type TeamCreate, type TeamUpdate } from '@slipway/contract/team.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { Scope } from '#kernel/http/mount.ts';
import { Problem } from '#kernel/problem.ts';
import { resourceModule, type AreaOf, type Entity, type ListQuery } from '#modules/resources/index.ts';
import type * as z from 'zod/mini';
import { unknownIdentities, writeMembers, type Members } from './members.sql.ts';

interface Row {
  readonly id: string;
  readonly display_name: string;
  readonly azure_group_id: string | null;
  readonly azure_group_name: string | null;
  readonly github_team_id: string | null;
  readonly github_team_name: string | null;
  readonly needs_production_approval: boolean;
  readonly state: Team['state'];
  readonly created_at: Date;
  readonly created_by: string;
  readonly owners: string[];
  readonly members: string[];
  readonly apps: string;
}
interface TeamQuery extends ListQuery {
  readonly identityId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly team?: string | undefined;
}

const toView = (row: Row, caller: Caller): Team => {
  const owner = ownerRule(caller, row.id);
  const applicationCount = Number(row.apps);
  return {
    id: row.id,
    displayName: row.display_name,
    azureGroupId: row.azure_group_id,
    azureGroupName: row.azure_group_name,
    githubTeamId: row.github_team_id,
    githubTeamName: row.github_team_name,
    needsProductionApproval: row.needs_production_approval,
    ownerIds: row.owners,
    memberIds: row.members,
    status: { creationTimestamp: row.created_at.toISOString(), creatorIdentityId: row.created_by },
    state: row.state,
    applicationCount,
    can: { update: owner, delete: owner === true && applicationCount > 0 ? 'TeamExistingApplications' : owner },
  };
};

type Links = Pick<TeamCreate, 'azureGroupId' | 'azureGroupName' | 'githubTeamId' | 'githubTeamName'>;
const linkColumns = ({ azureGroupId, azureGroupName, githubTeamId, githubTeamName }: Links) => ({
  azure_group_id: azureGroupId ?? null,
  azure_group_name: azureGroupName ?? null,
  github_team_id: githubTeamId ?? null,
  github_team_name: githubTeamName ?? null,
});
const changeableOf = ({ memberIds, needsProductionApproval, azureGroupId, azureGroupName, githubTeamId, githubTeamName }: Team) => ({
  memberIds,
  needsProductionApproval,
  azureGroupId,
  azureGroupName,
  githubTeamId,
  githubTeamName,
});

/** Requires valid users that include the caller (specification §5). */
const checkMembers = async (trx: Db, caller: Caller, { ownerIds, memberIds }: Members): Promise<void> => {
  const unknown = await unknownIdentities(trx, [...ownerIds, ...memberIds]);
  if (unknown.length > 0) {
    const field = unknown.some((id) => ownerIds.includes(id)) ? 'ownerIds' : 'memberIds';
    const code = unknown.every((id) => id.startsWith('sa_')) ? 'TeamServicePrincipalsMustBeValid' : 'TeamMustIncludeValidUsers';
    throw new Problem(code, { field, context: { ids: unknown.join(', ') } });
  }
  if (caller.isAdministrator || ownerIds.includes(caller.id) || memberIds.includes(caller.id)) return;
  const code = caller.type === 'SERVICE_ACCOUNT' ? 'TeamMustContainCurrentServicePrincipal' : 'TeamMustContainCurrentUser';
  throw new Problem(code, { field: 'ownerIds' });
};

const idsOf = (role: 'OWNER' | 'MEMBER') =>
  sql<string[]>`array(select identity_id from team_member where team_id = team.id and role = ${sql.lit(role)} order by identity_id)`;

const team: Entity<Team, Row, TeamCreate, Omit<TeamCreate, 'id'>, TeamQuery> = {
  resource: teamResource,
  waiting: teamWaiting,
  table: 'team',
  key: { team: 'id' },
  columns: sql`team.*, ${idsOf('OWNER')} as owners, ${idsOf('MEMBER')} as members,
    (select count(*) from app where app.team_id = team.id) as apps`,
  sort: { displayName: 'display_name', name: 'display_name', id: 'id', createdAt: 'created_at' },
  search: { table: 'team', key: 'id', text: sql<string>`lower(team.id || E'\n' || team.display_name)` },
  filter: ({ identityId, applicationId, team: id }) => [
    ...(identityId === undefined
      ? []
      : [sql<boolean>`team.id = any (array(select team_id from team_member where identity_id = ${identityId}))`]),
    ...(applicationId === undefined ? [] : [sql<boolean>`team.id = (select team_id from app where id = ${applicationId})`]),
    ...(id === undefined ? [] : [sql<boolean>`team.id = ${id}`]),
  ],
  toView,
  title: ({ displayName }) => displayName,
  teamOf: ({ id }) => id,
  create: {
    name: ({ id }) => id,
    field: 'id',
    insert: async ({ trx, caller, wanted }) => {
      const row = await trx
        .insertInto('team')
        .values({
          id: wanted.id,
          display_name: wanted.displayName,
          needs_production_approval: wanted.needsProductionApproval,
          ...linkColumns(wanted),
          state: 'CREATING',
          created_by: caller.id,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!row) return undefined;
      await checkMembers(trx, caller, wanted);
      await writeMembers(trx, wanted.id, wanted);
      return { title: wanted.displayName, team: wanted.id };
    },
  },
  complete: (current, changes: z.output<typeof TeamUpdate>) => keepOmitted(changeableOf(current), changes),
  update: async ({ trx, caller, names, wanted }) => {
    await checkMembers(trx, caller, wanted);
    const id = names['team'] ?? '';
    const { displayName, needsProductionApproval } = wanted;
    const set = { display_name: displayName, needs_production_approval: needsProductionApproval, ...linkColumns(wanted) };
    await trx.updateTable('team').set(set).where('id', '=', id).execute();
    await writeMembers(trx, id, wanted);
  },
  before: (current) => ({ displayName: current.displayName, ownerIds: current.ownerIds, ...changeableOf(current) }),
  whyKept: async (db, names) => {
    const app = await db
      .selectFrom('app')
      .select('id')
      .where('team_id', '=', names['team'] ?? '')
      .executeTakeFirst();
    return app && 'TeamExistingApplications';
  },
  // A team whose creation failed has no owner, so its creator has the owner's rights.
  rights: { create: { role: 'owner', isStartersToo: true }, write: { role: 'owner' } },
};

/** Routes below `{team}`. */
const teamScope = (db: Db): Scope => ({
  find: async ({ team = '' }) => {
    const row = await db.selectFrom('team').select(['id', 'display_name']).where('id', '=', team).executeTakeFirst();
    return row && { teamId: row.id, teamName: row.display_name };
  },
  missing: 'TeamDoesNotExist',
});

export const teamArea: AreaOf = ({ database: { db }, engine }) => ({
  ...resourceModule({ db, engine }, team),
  scopes: { team: teamScope(db) },
});
