/** Results of authenticating a caller at the edge. */
import type { IncomingMessage } from 'node:http';
import type { EdgeAuthentication } from '@slipway/foundation/ports/runtime.ts';
import type { Refusal } from '../problem.ts';

/** The caller's identity, as passed to the service. */
export interface EdgeCaller {
  /** Undefined if the service requires no sign-in. */
  readonly user: string | undefined;
  /** Signed JWT with the caller's claims. */
  readonly claims: string | undefined;
}
export type Verdict = EdgeCaller | Refusal;

export interface EdgeAuth {
  readonly authentication: EdgeAuthentication;
  /** Returns a promise only if work is needed, so that requests of a busy service don't wait. */
  check(request: IncomingMessage): Verdict | Promise<Verdict>;
}
export const nobody: EdgeCaller = { user: undefined, claims: undefined };

export const isRefusal = (verdict: object): verdict is Refusal => 'status' in verdict;
