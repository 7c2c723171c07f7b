/** Maps robot accounts to the contract's view. Sorts them by how urgently they need attention. */
import type { Can } from '@slipway/contract/kernel/fields.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import {
  platformRobotName,
  robotPresets,
  robotStateOf,
  type RobotAccount,
  type RobotState,
} from '@slipway/contract/registry/robot-account.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { Registry, RobotInfo } from '#ports/registry.ts';

const canOf = (verdict: true | string): Can => ({ update: verdict, rotate: verdict, activate: verdict, delete: verdict });

const toView = (robot: RobotInfo, can: Can, now: Date): RobotAccount => ({
  name: robot.name,
  username: robot.username,
  description: robot.description,
  permissions: [...robot.permissions],
  managedBy: 'TEAM',
  state: robotStateOf(robot, now),
  expiresOn: robot.expiresOn,
  lastUsed: robot.lastUsed && { ...robot.lastUsed, at: instant(robot.lastUsed.at) },
  refusals: { count: robot.refusals.count, lastAt: robot.refusals.lastAt && instant(robot.refusals.lastAt) },
  secretAt: robot.secretAt.toISOString(),
  previousSecret: robot.previous && {
    endsAt: instant(robot.previous.endsAt),
    lastUsedAt: robot.previous.lastUsedAt && instant(robot.previous.lastUsedAt),
  },
  createdAt: robot.createdAt.toISOString(),
  createdBy: robot.createdBy,
  updatedAt: robot.updatedAt.toISOString(),
  can,
});
const instant = (text: string): string => new Date(text).toISOString();

/** Returns the account that the platform builds and deploys with. It has no row, because the platform signs a token for each use. */
const platformRobot = (createdAt: string): RobotAccount => ({
  name: platformRobotName,
  username: 'platform',
  description: 'Builds images and starts revisions, with a token of five minutes for each use',
  permissions: [...robotPresets.push],
  managedBy: 'PLATFORM',
  state: 'ACTIVE',
  expiresOn: null,
  lastUsed: null,
  refusals: { count: 0, lastAt: null },
  secretAt: createdAt,
  previousSecret: null,
  createdAt,
  createdBy: null,
  updatedAt: createdAt,
  can: canOf('RobotAccountOfPlatform'),
});

const order: readonly RobotState[] = ['EXPIRED', 'EXPIRING', 'ACTIVE', 'DISABLED'];
const rank = ({ managedBy, state }: RobotAccount): number => (managedBy === 'PLATFORM' ? order.length : order.indexOf(state));

export interface RobotPlace {
  readonly app: string;
  readonly team: string;
}

/** Returns the app's accounts: expired and expiring ones first, then by name. The platform's own account is last. */
export const robotAccounts = async (db: Db, registry: Registry, { app, team }: RobotPlace, caller: Caller): Promise<RobotAccount[]> => {
  const row = await db.selectFrom('app').select('created_at').where('id', '=', app).executeTakeFirst();
  const now = new Date();
  const can = canOf(memberRule(caller, team));
  const own = (await registry.robots(app)).map((robot) => toView(robot, can, now));
  return [...own, platformRobot((row?.created_at ?? now).toISOString())].toSorted(
    (a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1),
  );
};

export const requireRobot = async (db: Db, registry: Registry, place: RobotPlace, caller: Caller, name: string): Promise<RobotAccount> => {
  const found = (await robotAccounts(db, registry, place, caller)).find((robot) => robot.name === name);
  if (!found) throw new Problem('RobotAccountDoesNotExist');
  return found;
};
/** Returns a robot account that the team may change. Throws for the platform's own account. */
export const requireOwnRobot = async (...of: Parameters<typeof requireRobot>): Promise<RobotAccount> => {
  const robot = await requireRobot(...of);
  if (robot.managedBy === 'PLATFORM') throw new Problem('RobotAccountOfPlatform');
  return robot;
};

/** Returns a usable account with all of these permissions. Throws the specification's errors if there is none. */
export const chooseRobot = (robots: readonly RobotAccount[], wanted: readonly RobotAccount['permissions'][number][]): RobotAccount => {
  const usable = robots.filter(({ managedBy, state }) => managedBy === 'TEAM' && (state === 'ACTIVE' || state === 'EXPIRING'));
  if (usable.length === 0) throw new Problem('HARBOR_NO_ROBOT_ACCOUNTS_CONFIGURED');
  const able = usable.filter(({ permissions }) => wanted.every((permission) => permissions.includes(permission)));
  // The account with the fewest permissions does the least harm if its secret leaks.
  const [found] = able.toSorted((a, b) => a.permissions.length - b.permissions.length);
  if (!found) throw new Problem('HARBOR_ROBOT_ACCOUNT_MISSING');
  return found;
};
