/** Rows of teams and their members, and the team as the contract shows it. */
import { sql, type RawBuilder } from 'kysely';
import type { Page } from '@slipway/contract/fields.ts';
import { ownerRule, type Actor } from '@slipway/contract/rights.ts';
import type { Team } from '@slipway/contract/team.ts';
import type { Db } from '#db/database.ts';
import type { Scope } from '#kernel/http/mount.ts';
import { countTotal, orderOf, pageOf } from '#kernel/page.ts';
import { matching } from '#kernel/text-search.ts';

export interface TeamFilter {
  readonly identityId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly team?: string | undefined;
  readonly query?: string | undefined;
  readonly sort?: string | undefined;
  readonly page: number;
  readonly size: number;
}

const selectTeams = (db: Db) =>
  db.selectFrom('team').select((at) => [
    'team.id',
    'team.display_name',
    'team.azure_group_id',
    'team.azure_group_name',
    'team.github_team_id',
    'team.github_team_name',
    'team.state',
    'team.created_at',
    'team.created_by',
    sql<string[]>`array(select identity_id from team_member where team_id = team.id and role = 'OWNER' order by identity_id)`.as('owners'),
    sql<string[]>`array(select identity_id from team_member where team_id = team.id and role = 'MEMBER' order by identity_id)`.as(
      'members',
    ),
    at
      .selectFrom('app')
      .whereRef('app.team_id', '=', 'team.id')
      .select((app) => app.fn.countAll<number>().as('count'))
      .as('app_count'),
  ]);
type Row = Awaited<ReturnType<ReturnType<typeof selectTeams>['executeTakeFirstOrThrow']>>;

const teamOf = (row: Row, actor: Actor): Team => {
  const owner = ownerRule(actor, row.id);
  const applications = Number(row.app_count ?? 0);
  return {
    id: row.id,
    displayName: row.display_name,
    azureGroupId: row.azure_group_id,
    azureGroupName: row.azure_group_name,
    githubTeamId: row.github_team_id,
    githubTeamName: row.github_team_name,
    ownerIds: row.owners,
    memberIds: row.members,
    status: { creationTimestamp: row.created_at.toISOString(), creatorIdentityId: row.created_by },
    state: row.state as Team['state'],
    applicationCount: applications,
    can: { update: owner, delete: owner === true && applications > 0 ? 'TeamExistingApplications' : owner },
  };
};

export const teamById = async (db: Db, id: string, actor: Actor): Promise<Team | undefined> => {
  const row = await selectTeams(db).where('team.id', '=', id).executeTakeFirst();
  return row && teamOf(row, actor);
};

const searched = { table: 'team', key: 'id', text: sql<string>`lower(team.id || E'\n' || team.display_name)` } as const;
const conditionsOf = async (db: Db, { identityId, applicationId, team, query }: TeamFilter): Promise<RawBuilder<boolean>> => {
  const conditions = [sql<boolean>`true`];
  if (identityId !== undefined)
    conditions.push(sql`team.id = any (array(select team_id from team_member where identity_id = ${identityId}))`);
  if (applicationId !== undefined) conditions.push(sql`team.id = (select team_id from app where id = ${applicationId})`);
  if (team !== undefined) conditions.push(sql`team.id = ${team}`);
  if (query) conditions.push(await matching(db, searched, query));
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
};

const columns = { name: 'team.display_name', displayName: 'team.display_name', id: 'team.id', createdAt: 'team.created_at' } as const;

export const teamPage = async (db: Db, filter: TeamFilter, actor: Actor): Promise<Page<Team>> => {
  const where = await conditionsOf(db, filter);
  const total = await countTotal(db, db.selectFrom('team').select('team.id').where(where));
  const order = orderOf(filter.sort, columns, { column: 'team.display_name', direction: 'asc' });
  const found = await selectTeams(db)
    .where(where)
    .orderBy(order.column, order.direction)
    .orderBy('team.id', order.direction)
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  return pageOf(
    found.map((row) => teamOf(row, actor)),
    total,
    filter,
  );
};

/** Takes turns with everything else that changes the team or gives it an app. */
export const lockTeam = (trx: Db, id: string) =>
  trx.selectFrom('team').select(['id', 'state']).where('id', '=', id).forUpdate().executeTakeFirst();

export interface Members {
  readonly ownerIds: readonly string[];
  readonly memberIds: readonly string[];
}

/** Replaces the members; an owner who is listed as a member too stays an owner. */
export const writeMembers = async (db: Db, team: string, { ownerIds, memberIds }: Members): Promise<void> => {
  await db.deleteFrom('team_member').where('team_id', '=', team).execute();
  const owners = new Set(ownerIds);
  const rows = [...owners].map((identity_id) => ({ team_id: team, identity_id, role: 'OWNER' }));
  const members = [...new Set(memberIds)]
    .filter((id) => !owners.has(id))
    .map((identity_id) => ({ team_id: team, identity_id, role: 'MEMBER' }));
  const all = [...rows, ...members];
  if (all.length > 0) await db.insertInto('team_member').values(all).execute();
};

/** Those of the ids that no identity has. */
export const unknownIdentities = async (db: Db, ids: readonly string[]): Promise<string[]> => {
  if (ids.length === 0) return [];
  const known = await db
    .selectFrom('identity')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  const found = new Set(known.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
};

/** Routes below `{team}`. */
export const teamScope = (db: Db): Scope => ({
  find: async ({ team = '' }) => {
    const row = await db.selectFrom('team').select(['id', 'display_name']).where('id', '=', team).executeTakeFirst();
    return row && { teamId: row.id, teamName: row.display_name };
  },
  missing: 'TeamDoesNotExist',
});
