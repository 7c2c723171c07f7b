/** What a check of whoever calls a service comes to. */
import type { IncomingMessage } from 'node:http';
import type { EdgeAuthentication } from '#ports/runtime.ts';
import type { Refusal } from '../problem.ts';

/** Who calls, as the service learns it. */
export interface EdgeCaller {
  /** Undefined where nobody is asked. */
  readonly user: string | undefined;
  /** A signed JWT with what is known of the caller. */
  readonly claims: string | undefined;
}
export type Verdict = EdgeCaller | Refusal;

export interface EdgeAuth {
  readonly authentication: EdgeAuthentication;
  /** A promise only where something must be worked out: a busy service's requests wait for nothing. */
  check(request: IncomingMessage): Verdict | Promise<Verdict>;
}
export const nobody: EdgeCaller = { user: undefined, claims: undefined };

export const isRefusal = (verdict: object): verdict is Refusal => 'status' in verdict;
