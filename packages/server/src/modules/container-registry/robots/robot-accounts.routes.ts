/** Robot accounts over HTTP. They live in the engine; a project has so few that a page is cut from all of them. */
import {
  robotAccountActivate,
  robotAccountChoose,
  robotAccountCreate,
  robotAccountDelete,
  robotAccountList,
  robotAccountRotate,
  robotAccountSecretEnd,
  robotAccountUpdate,
  robotAccountView,
  robotPresets,
} from '@slipway/contract/registry/robot-account.ts';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import { pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { chooseRobot, requireOwnRobot, requireRobot, robotAccounts, type RobotPlace } from './robot-view.ts';
import { changeRobot, createRobot, recordRobot, rotateRobot, type RobotCall, type RobotDeps } from './robot-writes.ts';

interface Asked {
  readonly params: { readonly app: string };
  readonly owner: Owner;
  readonly caller: Caller;
}
type AskedOne = Asked & { readonly params: { readonly robot: string } };
const callOf = ({ params, owner, caller }: Asked): RobotCall => ({ app: params.app, owner, caller });

export const robotAccountRoutes = (deps: RobotDeps): Handler[] => {
  const { db, registry } = deps;
  const place = ({ params, owner }: Asked): RobotPlace => ({ app: params.app, team: owner.teamId });
  const all = (c: Asked) => robotAccounts(db, registry, place(c), c.caller);
  const one = (c: AskedOne) => requireRobot(db, registry, place(c), c.caller, c.params.robot);
  const own = (c: AskedOne) => requireOwnRobot(db, registry, place(c), c.caller, c.params.robot);
  return [
    handle(robotAccountList, async (c) => {
      const { page, size, query = '' } = c.query;
      const found = (await all(c)).filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(query.toLowerCase()));
      return pageOf(found.slice(page * size, (page + 1) * size), found.length, c.query);
    }),
    handle(robotAccountView, one),
    handle(robotAccountCreate, (c) => createRobot(deps, callOf(c), c.body)),
    handle(
      robotAccountUpdate,
      async (c) => {
        await changeRobot(deps, callOf(c), await own(c), c.body);
        return one(c);
      },
      one,
    ),
    handle(robotAccountDelete, async (c) => {
      const { app, robot: name } = c.params;
      const found = (await all(c)).find((robot) => robot.name === name);
      if (found?.managedBy === 'PLATFORM') throw new Problem('RobotAccountOfPlatform');
      await registry.robotDelete(app, name);
      if (found) await recordRobot(deps, robotAccountDelete, callOf(c), name, { before: { username: found.username } });
    }),
    handle(robotAccountRotate, async (c) => rotateRobot(deps, callOf(c), await own(c), c.body)),
    handle(robotAccountSecretEnd, async (c) => {
      const { name } = await own(c);
      await registry.robotSecretEnd(c.params.app, name);
      const message = `${c.caller.displayName} ended the old secret of the robot account ${name}`;
      await recordRobot(deps, robotAccountSecretEnd, callOf(c), name, { reason: 'SecretEnded', message });
    }),
    handle(
      robotAccountActivate,
      async (c) => {
        const { name, state } = await own(c);
        const { active } = c.body;
        await registry.robotActivate(c.params.app, name, active);
        await recordRobot(deps, robotAccountActivate, callOf(c), name, {
          reason: active ? 'Enabled' : 'Disabled',
          message: `${c.caller.displayName} ${active ? 'enabled' : 'disabled'} the robot account ${name}`,
          before: { state },
          after: { active },
        });
        return one(c);
      },
      one,
    ),
    handle(robotAccountChoose, async (c) => {
      const { name, username } = chooseRobot(await all(c), robotPresets[c.query.for]);
      return { robot: name, username, host: registry.host, command: `docker login ${registry.host} -u '${username}'` };
    }),
  ];
};
