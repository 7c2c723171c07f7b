/** The app's registry project, its repositories, and robot accounts. */
import { containerRegistryView, robotAccountCreate, robotAccountDelete } from '@slipway/contract/container-registry.ts';
import { appKind } from '@slipway/contract/application.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { Db } from '#db/database.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Registry } from '#ports/registry.ts';

export const containerRegistryRoutes = (db: Db, registry: Registry): Handler[] => [
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
    await recordWrite(db, caller, {
      type: 'robotAccountCreate',
      reason: known ? 'Renewed' : 'Created',
      message: `${caller.displayName} ${known ? 'renewed' : 'created'} the robot account ${made.username}`,
      subject: subjectOf(appKind, { app: params.app, env: environment }, { team: owner.teamId }),
      after: { username: made.username, permissions: body.permissions },
    });
    return { ...made, host: registry.host };
  }),
  handle(robotAccountDelete, async ({ params, owner, environment, caller }) => {
    await registry.robotDelete(params.app, params.robot);
    await recordWrite(db, caller, {
      type: 'robotAccountDelete',
      reason: 'Deleted',
      message: `${caller.displayName} deleted the robot account ${params.robot}`,
      subject: subjectOf(appKind, { app: params.app, env: environment }, { team: owner.teamId }),
    });
    return undefined;
  }),
];
