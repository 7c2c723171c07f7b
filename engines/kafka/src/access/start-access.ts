/** Authentication and authorization of one environment: wires the parts together over the files in the part's directory. */
import path from 'node:path';

import type { StartAccess, Users } from '../parts.ts';
import { makeAuthorizer } from './authorizer.ts';
import { ruleHandlers } from './rule-handlers.ts';
import { RuleStore } from './rule-store.ts';
import { ScramExchange } from './scram-exchange.ts';
import { mechanismNames, mechanismOf } from './scram.ts';
import { makeSignInLimit } from './sign-in-limit.ts';
import { userHandlers } from './user-handlers.ts';
import { UserStore } from './user-store.ts';

export const startAccess: StartAccess = async ({ directory, now }, admin) => {
  const rules = await RuleStore.open(path.join(directory, 'rules.json'));
  const store = await UserStore.open(path.join(directory, 'users.json'), admin);
  const authorizer = makeAuthorizer(rules, admin.name);
  const parts = { users: store, limit: makeSignInLimit(now) };
  const users: Users = {
    mechanisms: mechanismNames,
    begin(name, host) {
      const mechanism = mechanismOf(name);
      if (mechanism !== undefined) return new ScramExchange(parts, mechanism, host);
      return { step: async () => ({ state: 'refused', reason: `Unsupported SASL mechanism ${name}` }) };
    },
    onDeleted: (listener) => store.onDeleted(listener),
  };
  return {
    authorizer,
    users,
    handlers: [...ruleHandlers(rules, authorizer), ...userHandlers(store, authorizer)],
    async close() {
      await Promise.all([rules.close(), store.close()]);
    },
  };
};
