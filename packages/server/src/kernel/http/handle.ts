/** Joins a contract route with its handler. The handler gets parsed, authenticated and authorized input. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BodyOf, HeadersOf, ParamsOf, QueryOf, ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Actor } from '@slipway/contract/kernel/rights.ts';
import type { TokenScope } from '@slipway/contract/identity.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Log } from '#ports/log.ts';
import type { Made } from './write-claim.ts';

/** The caller: the identity with its teams, and how it authenticated. */
export interface Caller extends Actor {
  readonly displayName: string;
  readonly email: string | null;
  readonly type: 'USER' | 'SERVICE_ACCOUNT';
  readonly provider: string;
  readonly origin: 'console' | 'token';
  readonly scopes: ReadonlySet<TokenScope>;
  /** True for the administrator token of the environment, which may not reveal secrets (decisions §9). */
  readonly isAutomation: boolean;
  /** API token of this call, or undefined for a signed-in user. Tokens created with it expire with it. */
  readonly token?: { readonly id: string; readonly expiresAt: Date | number } | undefined;
}
/** Team that owns the resource named in the path. */
export interface Owner {
  readonly teamId: string;
  readonly teamName: string;
}

export interface Context<R extends RouteShape> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly headers: HeadersOf<R>;
  readonly body: BodyOf<R>;
  readonly caller: R['access'] extends 'public' ? undefined : Caller;
  /** Present for routes below a scope: `{app}`, `{team}`. */
  readonly owner: Owner;
  /** Present for routes below `{env}`. */
  readonly environment: Environment;
  /** For long-lived responses: loads the caller again. Undefined if the caller has lost access. Rejects if this cannot be determined. */
  readonly callerNow: () => Promise<Caller | undefined>;
  readonly traceId: string;
  readonly log: Log;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface Handler {
  readonly route: RouteShape;
  /** Takes the context of its own route. */
  readonly answer: (context: never) => Promise<unknown>;
  /**
   * Answers a retry with the same Idempotency-Key after the first request committed but was interrupted before its answer was stored. By
   * default, returns the pipeline run that the first request started, or nothing.
   */
  readonly again?: ((context: never, made: readonly Made[]) => Promise<unknown>) | undefined;
}

/** A route that answers text or bytes writes to the reply and returns it. A route without a response returns nothing. */
type Answer<R extends RouteShape> =
  | (R extends { stream: string } ? FastifyReply : R extends { response: object } ? ResponseOf<R> : void)
  | (R extends { alsoAs: readonly string[] } ? FastifyReply : never);

export const handle = <R extends RouteShape>(
  route: R,
  answer: (context: Context<R>) => Promise<Answer<R>>,
  again?: (context: Context<R>, made: readonly Made[]) => Promise<Answer<R>>,
): Handler => ({
  route,
  answer,
  again,
});
