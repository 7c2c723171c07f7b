/** Joins a contract route with the function that answers it. What the function gets is parsed, authenticated and authorised. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Actor } from '@slipway/contract/kernel/rights.ts';
import type { TokenScope } from '@slipway/contract/identity.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Log } from '#ports/log.ts';
import type { Made } from './write-claim.ts';

/** Who calls: the identity with its teams, and how it came in. */
export interface Caller extends Actor {
  readonly displayName: string;
  readonly email: string | null;
  readonly type: 'USER' | 'SERVICE_ACCOUNT';
  readonly provider: string;
  readonly origin: 'console' | 'token';
  readonly scopes: ReadonlySet<TokenScope>;
  /** The administrator token of the environment: may not reveal secrets (decisions §9). */
  readonly isAutomation: boolean;
  /** The API token of this call; undefined for somebody who signed in. What is made with it ends with it. */
  readonly token?: { readonly id: string; readonly expiresAt: Date | number } | undefined;
}
/** Whose that is which a name in the path stands for. */
export interface Owner {
  readonly teamId: string;
  readonly teamName: string;
}

export interface Context<R extends RouteShape> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly caller: R['access'] extends 'public' ? undefined : Caller;
  /** Present for routes below a scope: `{app}`, `{team}`. */
  readonly owner: Owner;
  /** Present for routes below `{env}`. */
  readonly environment: Environment;
  /** For answers that go on for long: who calls by now, or undefined once he may not any more. Rejects where that cannot be found out. */
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
   * Answers a repeat with the same Idempotency-Key whose first request has committed and was interrupted before its answer was kept. Where
   * left out: the run of the pipeline that was started, or nothing.
   */
  readonly again?: ((context: never, made: readonly Made[]) => Promise<unknown>) | undefined;
}

/** A stream route writes to the reply itself and answers it; a route without a response answers nothing. */
type Answer<R extends RouteShape> = R extends { stream: string } ? FastifyReply : R extends { response: object } ? ResponseOf<R> : void;

export const handle = <R extends RouteShape>(
  route: R,
  answer: (context: Context<R>) => Promise<Answer<R>>,
  again?: (context: Context<R>, made: readonly Made[]) => Promise<Answer<R>>,
): Handler => ({
  route,
  answer,
  again,
});
