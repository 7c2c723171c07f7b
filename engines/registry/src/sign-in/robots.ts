// Robot accounts as the port has them: made, changed, rotated, disabled. Their secrets leave here once and are kept as hashes.
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { RobotAction, RobotCredentials, RobotInfo, RobotNotice, RobotSpec } from '@slipway/foundation/ports/registry.ts';
import { isProject, robotUsername } from '../grammar.ts';
import type { Db } from '../project.sql.ts';
import { hashSecret, newSecret } from './accounts.ts';
import { actionsOfPermissions } from './permissions.ts';
import * as sql from './robot.sql.ts';

export class Robots {
  readonly #db: Db;
  readonly #now: () => Date;

  constructor(db: Db, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  async ensure(project: string, name: string, actions: readonly RobotAction[]): Promise<RobotCredentials> {
    requireName(name);
    const secret = newSecret();
    await sql.ensureRobot(this.#db, { project, name, secretHash: hashSecret(secret), actions }, this.#now());
    return { username: robotUsername(project, name), secret };
  }

  async create(project: string, name: string, spec: RobotSpec): Promise<RobotCredentials> {
    requireName(name);
    const secret = newSecret();
    const robot = { ...spec, project, name, secretHash: hashSecret(secret), actions: actionsOfPermissions(spec.permissions) };
    if (!(await sql.insertRobot(this.#db, robot, this.#now()))) throw new PortFailure('conflict', `there is a robot account ${name}`);
    return { username: robotUsername(project, name), secret };
  }

  async change(project: string, name: string, spec: Omit<RobotSpec, 'createdBy'>): Promise<void> {
    const robot = { ...spec, project, name, actions: actionsOfPermissions(spec.permissions) };
    requireFound(await sql.updateRobot(this.#db, robot, this.#now()), name);
  }

  async activate(project: string, name: string, isActive: boolean): Promise<void> {
    requireFound(await sql.setRobotDisabled(this.#db, project, name, !isActive, this.#now()), name);
  }

  async rotate(project: string, name: string, until: Date): Promise<RobotCredentials> {
    const secret = newSecret();
    requireFound(await sql.rotateRobot(this.#db, { project, name, secretHash: hashSecret(secret), until }, this.#now()), name);
    return { username: robotUsername(project, name), secret };
  }

  async endSecret(project: string, name: string): Promise<void> {
    requireFound(await sql.endPreviousSecret(this.#db, project, name), name);
  }

  notices(daysBefore: readonly number[]): Promise<readonly RobotNotice[]> {
    return sql.takeNotices(this.#db, daysBefore, this.#now());
  }

  async delete(project: string, name: string): Promise<void> {
    await sql.deleteRobot(this.#db, project, name);
  }

  async list(project: string): Promise<readonly RobotInfo[]> {
    const rows = await sql.selectRobots(this.#db, project, this.#now());
    return rows.map((robot) => ({ ...robot, username: robotUsername(project, robot.name) }));
  }
}

/** Projects and robots share their form. */
function requireName(name: string): void {
  if (!isProject(name)) throw new PortFailure('rejected', `not a valid robot name: ${name}`);
}
function requireFound(isFound: boolean, name: string): void {
  if (!isFound) throw new PortFailure('notFound', `no robot account ${name}`);
}
