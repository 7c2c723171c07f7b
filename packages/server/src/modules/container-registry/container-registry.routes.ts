/** The app's registry project, its repositories, and robot accounts. */
import {
  containerRegistryView,
  robotAccountCreate,
  robotAccountDelete,
  robotAccountResource,
} from '@slipway/contract/container-registry.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { transaction, type Db } from '#db/database.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordChange, type AreaOf, type Change } from '#modules/resources/index.ts';
import type { Registry } from '#ports/registry.ts';

/** After the engine's answer, which no transaction holds. */
const record = (db: Db, route: RouteShape, change: Change): Promise<void> =>
  transaction(db, (trx) => recordChange(trx, robotAccountResource, route, change));

const containerRegistryRoutes = (db: Db, registry: Registry): Handler[] => [
  handle(containerRegistryView, async ({ params, owner, caller }) => {
    const exists = await registry.projectExists(params.app);
    const [repositories, robots] = exists ? await Promise.all([registry.repositories(params.app), registry.robots(params.app)]) : [[], []];
    return {
      host: registry.host,
      project: params.app,
      exists,
      repositories: repositories.map(({ repository, tags, updatedAt }) => ({ repository, tags, updatedAt: updatedAt.toISOString() })),
      robotAccounts: robots.map(({ name, username, actions, updatedAt }) => ({
        name,
        username,
        permissions: [...actions],
        updatedAt: updatedAt.toISOString(),
      })),
      can: { manageRobotAccounts: memberRule(caller, owner.teamId) },
    };
  }),
  handle(robotAccountCreate, async ({ params, owner, environment, body, caller }) => {
    const known = (await registry.robots(params.app)).some(({ name }) => name === body.name);
    if (known && !body.renew) throw new Problem('RobotAccountAlreadyExists', { field: 'name' });
    const made = await registry.robotEnsure(params.app, body.name, body.permissions);
    await record(db, robotAccountCreate, {
      caller,
      names: { app: params.app, env: environment },
      team: owner.teamId,
      title: made.username,
      ...(known && { reason: 'Renewed', message: `${caller.displayName} renewed the robot account ${made.username}` }),
      after: { username: made.username, permissions: body.permissions },
    });
    return { ...made, host: registry.host };
  }),
  handle(robotAccountDelete, async ({ params, owner, environment, caller }) => {
    await registry.robotDelete(params.app, params.robot);
    const names = { app: params.app, env: environment };
    await record(db, robotAccountDelete, { caller, names, team: owner.teamId, title: params.robot });
    return undefined;
  }),
];

export const containerRegistryArea: AreaOf = ({ database: { db }, adapters: { registry } }) => ({
  routes: containerRegistryRoutes(db, registry),
  adapters: [registry],
});
