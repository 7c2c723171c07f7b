// What the handlers of the sign-in's pages share.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Pool } from 'pg';
import type { AttemptLimit } from '#kernel/attempt-limit.ts';
import type { Log } from '#ports/log.ts';
import type { DemoDoor } from './demo/demo-guard.ts';
import type { Origins } from './origins.ts';

export interface SignInContext {
  readonly pool: Pool;
  readonly log: Log;
  readonly attempts: AttemptLimit;
  readonly provider: Provider;
  readonly origins: Origins;
  /** Undefined: people sign in with passwords. */
  readonly door: DemoDoor | undefined;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** What was sent with POST; undefined with GET. */
  readonly form: URLSearchParams | undefined;
}
