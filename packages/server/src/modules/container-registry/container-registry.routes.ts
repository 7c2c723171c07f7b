/** The app's registry project, its repositories, and robot accounts. */
import { containerRegistryView, robotAccountCreate, robotAccountDelete } from '@slipway/contract/container-registry.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Registry } from '#ports/registry.ts';

export const containerRegistryRoutes = (db: Db, registry: Registry): Handler[] => [
  handle(containerRegistryView, async ({ app }) => {
    const exists = await registry.projectExists(app.id);
    const repositories = exists ? await registry.repositories(app.id) : [];
    return {
      host: registry.host,
      project: app.id,
      exists,
      repositories: repositories.map(({ repository, tags, updatedAt }) => ({ repository, tags, updatedAt: updatedAt.toISOString() })),
    };
  }),
  handle(robotAccountCreate, async ({ app, environment, body, caller }) => {
    const made = await registry.robotEnsure(app.id, body.name, body.permissions);
    await recordWrite(db, caller, {
      type: 'robotAccountCreate',
      reason: 'Created',
      message: `${caller.displayName} created the robot account ${made.username}`,
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
