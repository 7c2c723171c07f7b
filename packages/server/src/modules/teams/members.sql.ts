/** Rows of a team's members. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';

export interface Members {
  readonly ownerIds: readonly string[];
  readonly memberIds: readonly string[];
}

/** Replaces the members. An owner who is also listed as a member stays an owner. */
export const writeMembers = async (db: Db, team: string, { ownerIds, memberIds }: Members): Promise<void> => {
  await db.deleteFrom('team_member').where('team_id', '=', team).execute();
  const owners = new Set(ownerIds);
  const rowOf = (role: 'OWNER' | 'MEMBER') => (identity_id: string) => ({ team_id: team, identity_id, role });
  const members = [...new Set(memberIds)].filter((id) => !owners.has(id));
  const all = [...[...owners].map(rowOf('OWNER')), ...members.map(rowOf('MEMBER'))];
  if (all.length > 0) await db.insertInto('team_member').values(all).execute();
};

/** Returns the ids that belong to no identity. */
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

interface TeamRole {
  readonly identityId: string;
  readonly team: string;
  readonly role: 'OWNER' | 'MEMBER';
}
/** Returns the roles of these people in active teams, ownership first, with the teams' display names. */
export const teamRoles =
  (db: Db) =>
  async (identityIds: readonly string[]): Promise<readonly TeamRole[]> =>
    db
      .selectFrom('team_member')
      .innerJoin('team', 'team.id', 'team_member.team_id')
      .select(['team_member.identity_id as identityId', 'team.display_name as team', sql<TeamRole['role']>`team_member.role`.as('role')])
      .where('team_member.identity_id', 'in', [...identityIds])
      .where('team.state', '=', 'ACTIVE')
      .orderBy('team_member.role', 'desc')
      .orderBy('team.display_name')
      .execute();
