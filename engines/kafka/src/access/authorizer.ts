/** Authorizes requests by the rules. The platform's own user may do everything. */
import { isAllowedOnAny, judgeAccess } from '@slipway/contract/streaming/access-rules.ts';

import type { Authorizer } from '../parts.ts';
import { operationWords, resourceWords } from './acl-words.ts';
import type { RuleStore } from './rule-store.ts';

export const makeAuthorizer = (store: RuleStore, superUser: string): Authorizer => ({
  may({ principal, host }, operation, type, name) {
    if (principal === superUser) return true;
    const resource = resourceWords.word(type);
    const act = operationWords.word(operation);
    if (resource === undefined || act === undefined) return false;
    return judgeAccess(store.about(principal), { user: principal, host, resource, name, operation: act }).isAllowed;
  },
  mayOnAny({ principal, host }, operation, type) {
    if (principal === superUser) return true;
    const resource = resourceWords.word(type);
    const act = operationWords.word(operation);
    if (resource === undefined || act === undefined) return false;
    return isAllowedOnAny(store.about(principal), { user: principal, host, resource, operation: act });
  },
});
