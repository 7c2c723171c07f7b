/** The cast of the tests: one person for each role of the permission table, and their teams. */
import type { Db } from '#db/database.ts';

export const people = {
  owner: { id: 'olga', name: 'Olga Owner', team: 'cranes', role: 'OWNER' },
  member: { id: 'mats', name: 'Mats Member', team: 'cranes', role: 'MEMBER' },
  stranger: { id: 'stig', name: 'Stig Stranger', team: 'customs', role: 'OWNER' },
  serviceAccount: { id: 'robot-1', name: 'CI of cranes', team: 'cranes', role: 'MEMBER' },
  administrator: { id: 'ada', name: 'Ada Administrator', team: undefined, role: undefined },
} as const;
export type Actor = keyof typeof people;

/** The people, and the teams `cranes` and `customs`. */
export const seedPeople = async (db: Db): Promise<void> => {
  for (const [actor, { id, name }] of Object.entries(people)) {
    const type = actor === 'serviceAccount' ? 'SERVICE_ACCOUNT' : 'USER';
    await db
      .insertInto('identity')
      .values({ id, subject: id, display_name: name, email: `${id}@example.test`, type, is_administrator: actor === 'administrator' })
      .execute();
  }
  for (const team of ['cranes', 'customs'])
    await db
      .insertInto('team')
      .values({ id: team, display_name: `Team ${team}`, created_by: 'olga' })
      .execute();
  for (const { id, team, role } of Object.values(people)) {
    if (team) await db.insertInto('team_member').values({ team_id: team, identity_id: id, role }).execute();
  }
};
