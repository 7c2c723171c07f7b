/** Chooses a service's authentication: none, one of two sign-ins, or refusal to serve it. */
import type { PasswordQueue } from '@slipway/foundation/sign-in/password-queue.ts';
import type { EdgeAuthentication } from '@slipway/foundation/ports/runtime.ts';
import { BasicAuth } from './basic-auth.ts';
import { BearerAuth } from './bearer-auth.ts';
import { nobody, type EdgeAuth } from './edge-auth.ts';
import type { EdgeTokens } from './edge-tokens.ts';
import type { Refusal } from '../problem.ts';

/** Shared by all services of an edge. */
export interface EdgeTools {
  readonly passwords: PasswordQueue;
  /** Undefined if the platform has no sign-in authority for services. */
  readonly tokens: EdgeTokens | undefined;
}

/** Keeps the former instance with its cache if the settings are unchanged. */
export function chooseAuth(authentication: EdgeAuthentication, former: EdgeAuth | undefined, tools: EdgeTools): EdgeAuth {
  if (former && JSON.stringify(former.authentication) === JSON.stringify(authentication)) return former;
  switch (authentication.type) {
    case 'NO_AUTH':
      return { authentication, check: () => nobody };
    case 'BASIC_AUTH':
      return new BasicAuth(authentication, tools.passwords);
    case 'AZURE_AUTH':
      if (tools.tokens) return new BearerAuth(authentication, tools.tokens);
      return closed(authentication, 'The service asks for tokens of a sign-in authority, and the edge knows none.');
    case 'CLOSED':
      return closed(authentication, authentication.detail);
  }
}

function closed(authentication: EdgeAuthentication, detail: string): EdgeAuth {
  const refusal: Refusal = { status: 503, detail };
  return { authentication, check: () => refusal };
}
