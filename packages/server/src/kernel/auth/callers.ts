/** Loads a caller from the identity's row: its teams, and whether it is a platform administrator. */
import type { Pool } from 'pg';
import { tokenScopes, type TokenScope } from '@slipway/contract/identity.ts';
import type { Caller } from '../http/handle.ts';

interface Row {
  id: string;
  display_name: string;
  email: string | null;
  provider: string;
  type: 'USER' | 'SERVICE_ACCOUNT';
  is_administrator: boolean;
  teams: { team: string; role: 'OWNER' | 'MEMBER' }[];
}

const select = `select identity.id, identity.display_name, identity.email, identity.provider, identity.type, identity.is_administrator,
    coalesce((select jsonb_agg(jsonb_build_object('team', team_member.team_id, 'role', team_member.role))
              from team_member where team_member.identity_id = identity.id), '[]') as teams
  from identity`;

export const everyScope: ReadonlySet<TokenScope> = new Set(tokenScopes);

type How = Pick<Caller, 'origin' | 'scopes' | 'token'> & { readonly isAutomation?: boolean };

const callerOf = (row: Row, how: How): Caller => ({
  id: row.id,
  displayName: row.display_name,
  email: row.email,
  provider: row.provider,
  type: row.type,
  isAdministrator: row.is_administrator,
  memberOf: new Set(row.teams.map((item) => item.team)),
  ownerOf: new Set(row.teams.filter((item) => item.role === 'OWNER').map((item) => item.team)),
  isAutomation: how.isAutomation ?? false,
  origin: how.origin,
  scopes: how.scopes,
  token: how.token,
});

/**
 * Returns undefined for people who left the company. `issuedAt` is the issue time of a sign-in token in seconds since 1970. The token must not be older than the last "sign out everywhere".
 */
export const loadCaller = async (pool: Pool, identityId: string, how: How, issuedAt?: number): Promise<Caller | undefined> => {
  const { rows } = await pool.query<Row>(
    `${select} where identity.id = $1 and identity.left_at is null and ($2::bigint is null or coalesce(date_trunc('second', signed_out_at) <= to_timestamp($2), true))`,
    [identityId, issuedAt ?? null],
  );
  return rows[0] && callerOf(rows[0], how);
};
