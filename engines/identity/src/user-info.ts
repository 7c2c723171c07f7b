// The userinfo endpoint. oidc-provider's own accepts only opaque tokens, but ours are JWTs that the API reads.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { Pool } from 'pg';
import { isGrantLive } from './access-claims.ts';
import { claimsOf } from './accounts.ts';
import type { Origins } from './origins.ts';

export interface UserInfoOptions {
  readonly pool: Pool;
  readonly origins: Origins;
  readonly issuer: string;
  readonly audience: string;
  readonly keySet: JWTVerifyGetKey;
}

const subjectOf = async ({ pool, issuer, audience, keySet }: UserInfoOptions, request: IncomingMessage): Promise<string | undefined> => {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return undefined;
  const verified = await jwtVerify(token, keySet, { issuer, audience, typ: 'at+jwt' }).catch(() => undefined);
  if (!verified || !(await isGrantLive(pool, verified.payload['grant_id']))) return undefined;
  return verified.payload.sub;
};

/** Handles GET and POST with the token in the header. Responds with the claims of the ID token. */
export const answerUserInfo = async (options: UserInfoOptions, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  request.resume();
  const { origin } = request.headers;
  if (options.origins.isOwn(origin)) response.setHeader('access-control-allow-origin', origin ?? '');
  response.setHeader('vary', 'Origin');
  const subject = await subjectOf(options, request);
  const claims = subject === undefined ? undefined : await claimsOf(options.pool, subject);
  if (claims) return void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(claims));
  const error = { error: 'invalid_token', error_description: 'the access token is missing, expired, ended or not for this address' };
  response.writeHead(401, {
    'content-type': 'application/json; charset=utf-8',
    'www-authenticate': `Bearer realm="${options.issuer}"${request.headers.authorization === undefined ? '' : ', error="invalid_token"'}`,
  });
  response.end(JSON.stringify(error));
};
