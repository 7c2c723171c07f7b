/** What a service demands of whoever calls it: nothing, one of the two sign-ins, or it must not be served at all. */
import type { PasswordQueue } from '#kernel/auth/password-queue.ts';
import type { EdgeAuthentication } from '#ports/runtime.ts';
import { BasicAuth } from './basic-auth.ts';
import { BearerAuth } from './bearer-auth.ts';
import { nobody, type EdgeAuth } from './edge-auth.ts';
import type { EdgeTokens } from './edge-tokens.ts';
import type { Refusal } from '../problem.ts';

/** What all services of an edge share. */
export interface EdgeTools {
  readonly passwords: PasswordQueue;
  /** Undefined where the platform has no sign-in authority for services. */
  readonly tokens: EdgeTokens | undefined;
}

/** Keeps the former one, and what it remembers, while nothing has changed. */
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
