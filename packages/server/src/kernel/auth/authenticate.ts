/** Resolves the Authorization header to a caller. */
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { Caller } from '../http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { callerOfAccessToken, type AccessTokens } from './access-token.ts';
import { isAuthorityOutage } from '#kernel/auth/authority-outage.ts';
import { PortFailure } from '#ports/failure.ts';
import { callerOfToken } from './api-token.ts';

/** A JWT has three parts. Anything else is an API token, including an administrator token with a custom format (decisions §8). */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

const problemOf = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (isAuthorityOutage(error))
    return new PortFailure('unavailable', 'The keys cannot be read', { context: { engine: 'sign-in authority' }, cause: error });
  // An unavailable database does not make the token invalid.
  return code.startsWith('ERR_J') ? new Problem('TokenInvalid', { cause: error }) : error;
};

export const createAuthenticate =
  (pool: Pool, tokens: AccessTokens) =>
  async (request: FastifyRequest): Promise<Caller | undefined> => {
    const header = request.headers.authorization;
    if (header === undefined) return undefined;
    const token = /^Bearer (\S+)$/i.exec(header)?.[1];
    if (token === undefined) throw new Problem('TokenInvalid');
    let caller: Caller | undefined;
    try {
      caller = JWT.test(token) ? await callerOfAccessToken(pool, tokens, token) : await callerOfToken(pool, token);
    } catch (cause) {
      throw problemOf(cause);
    }
    if (!caller) throw new Problem('TokenInvalid');
    return caller;
  };
