// Account lookup for oidc-provider: the identity's row and the claims of the ID token.
import type { Account, AccountClaims } from 'oidc-provider';
import type { Pool } from 'pg';

/** Value of the `amr` claim: `demo` is a choice from a list behind the one-time code, `pwd` a password. */
export type SignInMethod = 'demo' | 'pwd';

interface Row {
  display_name: string;
  email: string | null;
}

/** Returns undefined if the user no longer exists, or left the company. */
export const claimsOf = async (pool: Pool, id: string): Promise<AccountClaims | undefined> => {
  const { rows } = await pool.query<Row>(`select display_name, email from identity where id = $1 and type = 'USER' and left_at is null`, [
    id,
  ]);
  const row = rows[0];
  return row && { sub: id, name: row.display_name, preferred_username: id, ...(row.email === null ? {} : { email: row.email }) };
};

/** Returns undefined if the identity no longer exists, or if its session's sign-in method is now disabled. */
export const accountOf = async (pool: Pool, method: SignInMethod, id: string, methods: readonly string[]): Promise<Account | undefined> => {
  const claims = methods.includes(method) ? await claimsOf(pool, id) : undefined;
  return claims && { accountId: id, claims: () => claims };
};
