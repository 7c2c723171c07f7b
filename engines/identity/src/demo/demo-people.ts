// The demo people: who they are, and how the sign-in page describes them.
import type { Pool } from 'pg';

export interface DemoPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isAdministrator?: boolean;
}

export const demoPeople: readonly DemoPerson[] = [
  { id: 'ingrid.solheim', name: 'Ingrid Solheim', email: 'ingrid.solheim@norrland-line.example' },
  { id: 'rahul.deshmukh', name: 'Rahul Deshmukh', email: 'rahul.deshmukh@norrland-line.example' },
  { id: 'jonas.lindqvist', name: 'Jonas Lindqvist', email: 'jonas.lindqvist@norrland-line.example' },
  { id: 'sofia.marin', name: 'Sofía Marín', email: 'sofia.marin@norrland-line.example' },
  { id: 'kwame.boateng', name: 'Kwame Boateng', email: 'kwame.boateng@norrland-line.example', isAdministrator: true },
];

/** Adds missing people without changing existing ones. Idempotent, and safe from several replicas. */
export const seedDemoPeople = async (pool: Pool): Promise<void> => {
  await pool.query(
    `insert into identity (id, display_name, email, provider, type, is_administrator)
     select person.id, person.name, person.email, 'AZURE_AD', 'USER', coalesce(person."isAdministrator", false)
     from jsonb_to_recordset($1::jsonb) as person (id text, name text, email text, "isAdministrator" boolean)
     on conflict do nothing`,
    [JSON.stringify(demoPeople)],
  );
};

/** One row of the sign-in page. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** Roles of the person, one per line: `Owner, Terminal Operations`. */
  readonly roles: readonly string[];
}

interface Row {
  id: string;
  display_name: string;
  is_administrator: boolean;
}

/** A person's role in a team, with the team's display name. */
export interface TeamRole {
  readonly identityId: string;
  readonly team: string;
  readonly role: 'OWNER' | 'MEMBER';
}
/** Returns the current roles of these people, in the order in which to show them. */
export type TeamsHook = (identityIds: readonly string[]) => Promise<readonly TeamRole[]>;

const rolesOf = ({ id, is_administrator: isAdministrator }: Row, teams: readonly TeamRole[]): string[] => {
  const own = teams.filter(({ identityId }) => identityId === id);
  const inTeams = own.map(({ team, role }) => `${role === 'OWNER' ? 'Owner' : 'Member'}, ${team}`);
  const all = [...(isAdministrator ? ['Platform administrator'] : []), ...inTeams];
  return all.length === 0 ? ['No team yet'] : all;
};

/** Returns the demo people who still exist, with their current teams. */
export const demoChoices = async (pool: Pool, teamsOf: TeamsHook = async () => []): Promise<Choice[]> => {
  const order = demoPeople.map(({ id }) => id);
  const { rows } = await pool.query<Row>(
    `select id, display_name, is_administrator from identity
     where id = any($1) and type = 'USER' order by array_position($1::text[], id)`,
    [order],
  );
  const teams = await teamsOf(order);
  return rows.map((row) => ({ id: row.id, name: row.display_name, roles: rolesOf(row, teams) }));
};
