// Who an identity is to oidc-provider: its row, and the claims of the ID token.
import type { Account, AccountClaims } from 'oidc-provider';
import type { Pool } from 'pg';

/** As `amr` calls it: `demo` is a choice from a list behind the one-time code, `pwd` a password. */
export type SignInMethod = 'demo' | 'pwd';

interface Row {
  display_name: string;
  email: string | null;
}

/** Undefined when the person is gone. */
export const claimsOf = async (pool: Pool, id: string): Promise<AccountClaims | undefined> => {
  const { rows } = await pool.query<Row>(`select display_name, email from identity where id = $1 and type = 'USER'`, [id]);
  const row = rows[0];
  return row && { sub: id, name: row.display_name, preferred_username: id, ...(row.email === null ? {} : { email: row.email }) };
};

/** Undefined when the identity is gone, or when its session began in a way that is switched off now. */
export const accountOf = async (pool: Pool, method: SignInMethod, id: string, methods: readonly string[]): Promise<Account | undefined> => {
  const claims = methods.includes(method) ? await claimsOf(pool, id) : undefined;
  return claims && { accountId: id, claims: () => claims };
};
