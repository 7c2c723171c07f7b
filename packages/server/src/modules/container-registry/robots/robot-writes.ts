/** Changes robot accounts. Calls the registry first, because no transaction can include it, and then writes the activity log. */
import type * as z from 'zod/mini';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { keepOmitted } from '@slipway/contract/resource.ts';
import {
  maxRobotAccounts,
  permissionsOf,
  robotAccountCreate,
  robotAccountResource,
  robotAccountRotate,
  robotAccountUpdate,
  type RobotAccount,
  type RobotAccountCreate,
  type RobotAccountUpdate,
  type RobotRotation,
  type RobotSecret,
  type SecretTarget,
} from '@slipway/contract/registry/robot-account.ts';
import { expiryOf } from '@slipway/contract/secret/secret-group.ts';
import { transaction, type Db } from '#db/database.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { overlapEnd, recordChange, type Change } from '#modules/resources/index.ts';
import { holdAccount } from '#modules/requests/index.ts';
import { requireSettableKey, setSecretKey, type SecretDeps } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Registry, RobotCredentials } from '#ports/registry.ts';

export interface RobotDeps {
  readonly db: Db;
  readonly registry: Registry;
  readonly secrets: SecretDeps;
}
/** The caller and the app of a request. */
export interface RobotCall {
  readonly caller: Caller;
  readonly owner: Owner;
  readonly app: string;
}
type Target = z.output<typeof SecretTarget>;

const requireLater = (expiresOn: string | null | undefined): void => {
  if (expiresOn && expiryOf(expiresOn, new Date()) === 'EXPIRED') throw new Problem('ExpiryInThePast', { field: 'expiresOn' });
};

export const recordRobot = (
  { db }: RobotDeps,
  route: RouteShape,
  { caller, owner, app }: RobotCall,
  name: string,
  change: Pick<Change, 'reason' | 'message' | 'before' | 'after'>,
  /** User name of the account whose secret the caller is shown. */
  shown?: string,
): Promise<void> =>
  transaction(db, async (trx) => {
    if (shown !== undefined) await holdAccount(trx, caller.id, shown);
    await recordChange(trx, robotAccountResource, route, {
      ...change,
      caller,
      names: { app, robot: name },
      team: owner.teamId,
      title: name,
    });
  });

/** Checks the target before a secret is created, so that no secret is lost because its target is missing. */
const checkTarget = async ({ secrets }: RobotDeps, { caller, owner, app }: RobotCall, into: Target | undefined): Promise<void> => {
  if (!into) return;
  const { environment, group } = into;
  await requireSettableKey(secrets, { caller, app: { ...owner, id: app } }, { app, environment, group }).catch((cause: unknown) => {
    throw cause instanceof Problem ? new Problem(cause.code, { field: 'into.group', cause }) : cause;
  });
};

/** Returns the secret in the answer, or writes it to a new version of the target group. */
const handOver = async (
  { registry, secrets }: RobotDeps,
  { caller, owner, app }: RobotCall,
  made: RobotCredentials & { readonly name: string; readonly previousEndsAt: Date | null },
  into: Target | undefined,
): Promise<RobotSecret> => {
  const answer = {
    name: made.name,
    username: made.username,
    host: registry.host,
    previousEndsAt: made.previousEndsAt?.toISOString() ?? null,
  };
  if (!into) return { ...answer, secret: made.secret, writtenTo: null };
  const { environment, group, key } = into;
  const viewer = { caller, app: { ...owner, id: app } };
  const version = await setSecretKey(secrets, viewer, { app, environment, group }, { key, value: made.secret });
  return { ...answer, secret: null, writtenTo: { environment, group, key, version } };
};

export const createRobot = async (deps: RobotDeps, call: RobotCall, body: z.output<typeof RobotAccountCreate>): Promise<RobotSecret> => {
  const { registry } = deps;
  const { caller, app } = call;
  const { name, description, expiresOn, into } = body;
  requireLater(expiresOn);
  await checkTarget(deps, call, into);
  if ((await registry.robots(app)).length >= maxRobotAccounts) throw new Problem('TooManyRobotAccounts');
  const permissions = permissionsOf(body.permissions);
  const createdBy = { id: caller.id, displayName: caller.displayName };
  const made = await registry.robotCreate(app, name, { permissions, description, expiresOn, createdBy }).catch((cause: unknown) => {
    throw isPortFailure(cause, 'conflict') ? new Problem('RobotAccountAlreadyExists', { field: 'name', cause }) : cause;
  });
  const after = { username: made.username, permissions, description, expiresOn, into };
  await recordRobot(deps, robotAccountCreate, call, name, { after }, into ? undefined : made.username);
  return handOver(deps, call, { ...made, name, previousEndsAt: null }, into);
};

const settingsOf = ({ permissions, description, expiresOn }: RobotAccount) => ({ permissions, description, expiresOn });

export const changeRobot = async (
  deps: RobotDeps,
  call: RobotCall,
  before: RobotAccount,
  body: z.output<typeof RobotAccountUpdate>,
): Promise<void> => {
  const { description, expiresOn, permissions } = keepOmitted(settingsOf(before), body);
  // The account may have expired. Its other settings can still be changed.
  if (expiresOn !== before.expiresOn) requireLater(expiresOn);
  const after = { description, expiresOn, permissions: permissionsOf(permissions) };
  await deps.registry.robotChange(call.app, before.name, after);
  await recordRobot(deps, robotAccountUpdate, call, before.name, { before: settingsOf(before), after });
};

export const rotateRobot = async (
  deps: RobotDeps,
  call: RobotCall,
  before: RobotAccount,
  body: z.output<typeof RobotRotation>,
): Promise<RobotSecret> => {
  const { registry } = deps;
  const { app, caller } = call;
  const { name } = before;
  const { overlapHours, expiresOn, into } = body;
  if (expiresOn !== undefined) requireLater(expiresOn);
  await checkTarget(deps, call, into);
  // The old secret stays valid until the new one is written, even without an overlap, so a failure in between locks no client out.
  const endsAt = overlapEnd(Math.max(overlapHours, 1));
  const made = await registry.robotRotate(app, name, endsAt);
  if (expiresOn !== undefined) await registry.robotChange(app, name, { ...settingsOf(before), expiresOn });
  const secret = await handOver(deps, call, { ...made, name, previousEndsAt: overlapHours === 0 ? null : endsAt }, into);
  if (overlapHours === 0) await registry.robotSecretEnd(app, name);
  const change = {
    reason: 'Rotated',
    message: `${caller.displayName} made a new secret for the robot account ${name}; the old one ${overlapHours === 0 ? 'has ended' : `ends in ${overlapHours} h`}`,
    after: { overlapHours, expiresOn, into },
  };
  await recordRobot(deps, robotAccountRotate, call, name, change, into ? undefined : made.username);
  return secret;
};
