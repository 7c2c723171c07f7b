/** Robot accounts as a part of the registry's area: routes, and the watch over those that end. */
import { createVault } from '#modules/secret-groups/index.ts';
import type { Area, AreaContext } from '#modules/resources/index.ts';
import { robotAccountRoutes } from './robot-accounts.routes.ts';
import { robotWatch } from './robot-watch.ts';

export { robotAccounts } from './robot-view.ts';

export const robotsPart = ({ database, adapters, log }: AreaContext): Required<Pick<Area, 'routes' | 'tasks'>> => {
  const { db, pool } = database;
  const { registry, keys } = adapters;
  return {
    routes: robotAccountRoutes({ db, registry, secrets: { db, vault: createVault(pool, keys) } }),
    tasks: [robotWatch(db, registry, log)],
  };
};
