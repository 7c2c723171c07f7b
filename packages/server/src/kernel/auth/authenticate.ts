/** From the Authorization header to the caller. */
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { Caller } from '../http/handle.ts';
import { Problem } from '../problem.ts';
import { callerOfAccessToken, type AccessTokens } from './access-token.ts';
import { callerOfToken, tokenPrefix } from './api-token.ts';

export const createAuthenticate =
  (pool: Pool, tokens: AccessTokens) =>
  async (request: FastifyRequest): Promise<Caller | undefined> => {
    const header = request.headers.authorization;
    if (header === undefined) return undefined;
    const token = /^Bearer (\S+)$/i.exec(header)?.[1];
    if (token === undefined) throw new Problem('TokenInvalid');
    let caller: Caller | undefined;
    try {
      caller = token.startsWith(tokenPrefix) ? await callerOfToken(pool, token) : await callerOfAccessToken(pool, tokens, token);
    } catch (cause) {
      // A database that is down is not a bad token.
      if (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('ERR_J')) throw new Problem('TokenInvalid', { cause });
      throw cause;
    }
    if (!caller) throw new Problem('TokenInvalid');
    return caller;
  };
