/** Rows of a team's members. */
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
