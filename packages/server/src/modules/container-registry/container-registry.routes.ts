/** The app's registry project, its repositories, and robot accounts. */
import { containerRegistryView, robotAccountCreate, robotAccountDelete } from '@slipway/contract/container-registry.ts';
import type { Db } from '#db/database.ts';
import { memberRule } from '@slipway/contract/rights.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Registry } from '#ports/registry.ts';

export const containerRegistryRoutes = (db: Db, registry: Registry): Handler[] => [
  handle(containerRegistryView, async ({ app, caller }) => {
    const exists = await registry.projectExists(app.id);
    const [repositories, robots] = exists ? await Promise.all([registry.repositories(app.id), registry.robots(app.id)]) : [[], []];
    return {
      host: registry.host,
      project: app.id,
      exists,
      repositories: repositories.map(({ repository, tags, updatedAt }) => ({ repository, tags, updatedAt: updatedAt.toISOString() })),
      robotAccounts: robots.map(({ name, username, actions, updatedAt }) => ({
        name,
        username,
        permissions: [...actions],
        updatedAt: updatedAt.toISOString(),
      })),
      can: { manageRobotAccounts: memberRule(caller, app.teamId) },
    };
  }),
  handle(robotAccountCreate, async ({ app, environment, body, caller }) => {
    const known = (await registry.robots(app.id)).some(({ name }) => name === body.name);
    if (known && !body.renew) throw new Problem('RobotAccountAlreadyExists', { field: 'name' });
    const made = await registry.robotEnsure(app.id, body.name, body.permissions);
    await recordWrite(db, caller, {
      type: 'robotAccountCreate',
      reason: known ? 'Renewed' : 'Created',
      message: `${caller.displayName} ${known ? 'renewed' : 'created'} the robot account ${made.username}`,
      team: app.teamId,
      app: app.id,
      env: environment,
      after: { username: made.username, permissions: body.permissions },
    });
    return { ...made, host: registry.host };
  }),
  handle(robotAccountDelete, async ({ app, environment, params, caller }) => {
    await registry.robotDelete(app.id, params.robot);
    await recordWrite(db, caller, {
      type: 'robotAccountDelete',
      reason: 'Deleted',
      message: `${caller.displayName} deleted the robot account ${params.robot}`,
      team: app.teamId,
      app: app.id,
      env: environment,
    });
    return undefined;
  }),
];
