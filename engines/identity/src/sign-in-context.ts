// Shared by the handlers of the sign-in pages.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Pool } from 'pg';
import type { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { DemoDoor } from './demo/demo-guard.ts';
import type { TeamsHook } from './demo/demo-people.ts';
import type { Origins } from './origins.ts';

export interface SignInContext {
  readonly pool: Pool;
  readonly log: Log;
  readonly attempts: AttemptLimit;
  readonly provider: Provider;
  readonly origins: Origins;
  /** Undefined if users sign in with passwords. */
  readonly door: DemoDoor | undefined;
  /** Undefined without a platform. */
  readonly teamsOf: TeamsHook | undefined;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Form data of a POST; undefined for GET. */
  readonly form: URLSearchParams | undefined;
}
