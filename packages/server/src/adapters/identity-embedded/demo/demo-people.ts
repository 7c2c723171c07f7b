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
  teams: { name: string; role: 'OWNER' | 'MEMBER' }[];
}

const rolesOf = ({ is_administrator: isAdministrator, teams }: Row): string[] => {
  const inTeams = teams.map(({ name, role }) => `${role === 'OWNER' ? 'Owner' : 'Member'}, ${name}`);
  const all = [...(isAdministrator ? ['Platform administrator'] : []), ...inTeams];
  return all.length === 0 ? ['No team yet'] : all;
};

/** Returns the demo people who still exist, with their current teams. */
export const demoChoices = async (pool: Pool): Promise<Choice[]> => {
  const order = demoPeople.map(({ id }) => id);
  const { rows } = await pool.query<Row>(
    `select identity.id, identity.display_name, identity.is_administrator,
       coalesce((select jsonb_agg(jsonb_build_object('name', team.display_name, 'role', team_member.role)
                                  order by team_member.role desc, team.display_name)
                 from team_member join team on team.id = team_member.team_id
                 where team_member.identity_id = identity.id and team.state = 'ACTIVE'), '[]') as teams
     from identity where identity.id = any($1) and identity.type = 'USER' order by array_position($1::text[], identity.id)`,
    [order],
  );
  return rows.map((row) => ({ id: row.id, name: row.display_name, roles: rolesOf(row) }));
};
