// Custom claims of access tokens, and a check that their grant still exists, so that signing out invalidates them.
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Pool } from 'pg';

type Customize = NonNullable<NonNullable<NonNullable<Configuration['formats']>['customizers']>['jwt']>;

/**
 * Adds the grant's id, since signing out and reuse of a refresh token revoke the grant. Removes the key: only the refresh token is bound to
 * it, while access tokens are bearer tokens for the API (RFC 9449 §5).
 */
export const customizeAccessToken: Customize = (_context, token, { payload }) => {
  delete payload['cnf'];
  if ('grantId' in token) payload['grant_id'] = token.grantId;
};

/** Reports the token type in the response as Bearer. */
export const answerBearerTokens = async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
  await next();
  const { body } = context;
  if (context.oidc?.route === 'token' && isRecord(body) && body['token_type'] === 'DPoP') body['token_type'] = 'Bearer';
};

/** Returns false once the user signed out, here or everywhere. A single primary key lookup. */
export const isGrantLive = async (pool: Pool, grantId: unknown): Promise<boolean> => {
  if (typeof grantId !== 'string') return false;
  const { rowCount } = await pool.query(`select 1 from oidc_payload where model = 'Grant' and id = $1 and expires_at > now()`, [grantId]);
  return rowCount === 1;
};
