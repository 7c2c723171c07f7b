// What access tokens say beside the standard's claims, and whether what they stand on is still there: so that signing out ends them.
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Pool } from 'pg';

type Customize = NonNullable<NonNullable<NonNullable<Configuration['formats']>['customizers']>['jwt']>;

/**
 * The grant is what signing out, and a refresh token that was used twice, take back. The key stays with the refresh token alone:
 * access tokens go to the API as bearer tokens (RFC 9449 §5).
 */
export const customizeAccessToken: Customize = (_context, token, { payload }) => {
  delete payload['cnf'];
  if ('grantId' in token) payload['grant_id'] = token.grantId;
};

/** Says of the token in the answer what it is. */
export const answerBearerTokens = async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
  await next();
  const { body } = context;
  if (context.oidc?.route === 'token' && isRecord(body) && body['token_type'] === 'DPoP') body['token_type'] = 'Bearer';
};

/** False once the person signed out, here or everywhere. One look at a primary key. */
export const isGrantLive = async (pool: Pool, grantId: unknown): Promise<boolean> => {
  if (typeof grantId !== 'string') return false;
  const { rowCount } = await pool.query(`select 1 from oidc_payload where model = 'Grant' and id = $1 and expires_at > now()`, [grantId]);
  return rowCount === 1;
};
