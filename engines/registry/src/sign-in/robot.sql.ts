// SQL of robot accounts. All days are in UTC.
import type { RobotAction, RobotInfo, RobotNotice, RobotPermission, RobotSpec } from '@slipway/foundation/ports/registry.ts';
import type { Db } from '../project.sql.ts';
import { permissionsOfActions } from './permissions.ts';

/** Columns of a robot account that sign-in needs. */
export interface RobotRow {
  readonly project: string;
  readonly name: string;
  readonly secretHash: Buffer;
  /** Null after the previous secret has ended. */
  readonly previousHash: Buffer | null;
  readonly permissions: readonly RobotPermission[];
  readonly isDisabled: boolean;
  readonly isExpired: boolean;
}
interface Permitted {
  readonly actions: readonly RobotAction[];
  readonly permissions: readonly RobotPermission[] | null;
}
const permitted = ({ actions, permissions }: Permitted): readonly RobotPermission[] => permissions ?? permissionsOfActions(actions);

/** Creates the account, or gives an existing account a new secret and these actions. */
export async function ensureRobot(
  db: Db,
  robot: { readonly project: string; readonly name: string; readonly secretHash: Buffer; readonly actions: readonly RobotAction[] },
  now: Date,
): Promise<void> {
  await db.query(
    `insert into registry_robot (project, name, secret_hash, actions, created_at, updated_at, secret_at) values ($1, $2, $3, $4, $5, $5, $5)
     on conflict (project, name) do update
       set secret_hash = excluded.secret_hash, actions = excluded.actions, permissions = null, updated_at = excluded.updated_at,
         secret_at = excluded.secret_at, previous_hash = null, previous_until = null`,
    [robot.project, robot.name, robot.secretHash, robot.actions, now],
  );
}

interface NewRobot extends RobotSpec {
  readonly project: string;
  readonly name: string;
  readonly secretHash: Buffer;
  readonly actions: readonly RobotAction[];
}
/** Returns false if the name is taken. */
export async function insertRobot(db: Db, robot: NewRobot, now: Date): Promise<boolean> {
  const { project, name, secretHash, actions, permissions, description, expiresOn, createdBy } = robot;
  const { rowCount } = await db.query(
    `insert into registry_robot (project, name, secret_hash, actions, permissions, description, expires_on, created_by, created_by_name,
       created_at, updated_at, secret_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10) on conflict do nothing`,
    [project, name, secretHash, actions, permissions, description, expiresOn, createdBy?.id, createdBy?.displayName, now],
  );
  return rowCount === 1;
}

/** Updates the account. Resets its refusal count unless it is expired. Returns false if the account does not exist. */
export async function updateRobot(
  db: Db,
  { project, name, actions, permissions, description, expiresOn }: Omit<NewRobot, 'secretHash' | 'createdBy'>,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update registry_robot set actions = $3, permissions = $4, description = $5, expires_on = $6, updated_at = $7,
       refused_count = case when $6::date is null or $6 >= ($7 at time zone 'UTC')::date then 0 else refused_count end
     where project = $1 and name = $2`,
    [project, name, actions, permissions, description, expiresOn, now],
  );
  return rowCount === 1;
}

export async function setRobotDisabled(db: Db, project: string, name: string, isDisabled: boolean, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update registry_robot set disabled_at = case when $3 then coalesce(disabled_at, $4) end, updated_at = $4,
       refused_count = case when $3 then refused_count else 0 end where project = $1 and name = $2`,
    [project, name, isDisabled, now],
  );
  return rowCount === 1;
}

/** Replaces the secret. The previous secret stays valid until `until`. Returns false if the account does not exist. */
export async function rotateRobot(
  db: Db,
  {
    project,
    name,
    secretHash,
    until,
  }: { readonly project: string; readonly name: string; readonly secretHash: Buffer; readonly until: Date },
  now: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update registry_robot set previous_hash = secret_hash, previous_until = $4, previous_used_at = null, secret_hash = $3, secret_at = $5,
       updated_at = $5 where project = $1 and name = $2`,
    [project, name, secretHash, until, now],
  );
  return rowCount === 1;
}

export async function endPreviousSecret(db: Db, project: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update registry_robot set previous_hash = null, previous_until = null where project = $1 and name = $2`,
    [project, name],
  );
  return rowCount === 1;
}

export async function deleteRobot(db: Db, project: string, name: string): Promise<void> {
  await db.query(`delete from registry_robot where project = $1 and name = $2`, [project, name]);
}

export async function selectRobot(db: Db, project: string, name: string, now: Date): Promise<RobotRow | undefined> {
  const { rows } = await db.query<Omit<RobotRow, 'permissions'> & Permitted>(
    `select project, name, secret_hash as "secretHash", actions, permissions, disabled_at is not null as "isDisabled",
       case when previous_until > $3 then previous_hash end as "previousHash",
       expires_on is not null and expires_on < ($3 at time zone 'UTC')::date as "isExpired"
     from registry_robot where project = $1 and name = $2`,
    [project, name, now],
  );
  return rows[0] && { ...rows[0], permissions: permitted(rows[0]) };
}

export async function selectRobots(db: Db, project: string, now: Date): Promise<readonly Omit<RobotInfo, 'username'>[]> {
  const { rows } = await db.query<Omit<RobotInfo, 'username' | 'permissions'> & Permitted>(
    `select name, actions, permissions, description, to_char(expires_on, 'YYYY-MM-DD') as "expiresOn", disabled_at is not null as "isDisabled",
       coalesce(secret_at, updated_at) as "secretAt",
       case when previous_until > $2 then jsonb_build_object('endsAt', previous_until, 'lastUsedAt', previous_used_at) end as previous,
       case when last_used_at is not null then jsonb_build_object('at', last_used_at, 'address', last_used_address, 'client', last_used_client)
         end as "lastUsed",
       jsonb_build_object('count', refused_count, 'lastAt', case when refused_count > 0 then refused_at end) as refusals,
       created_at as "createdAt", updated_at as "updatedAt",
       case when created_by is not null then jsonb_build_object('id', created_by, 'displayName', created_by_name) end as "createdBy"
     from registry_robot where project = $1 order by name`,
    [project, now],
  );
  return rows.map((row) => ({ ...row, permissions: permitted(row) }));
}

export interface RobotUse {
  readonly address: string;
  /** The client program and its version, from its User-Agent. */
  readonly client: string;
  readonly isPrevious: boolean;
}
export async function noteUse(db: Db, project: string, name: string, use: RobotUse, now: Date): Promise<void> {
  await db.query(
    `update registry_robot set last_used_at = $3, last_used_address = $4, last_used_client = $5,
       previous_used_at = case when $6 then $3 else previous_used_at end where project = $1 and name = $2`,
    [project, name, now, use.address, use.client, use.isPrevious],
  );
}

export async function noteRefusal(db: Db, project: string, name: string, now: Date): Promise<void> {
  await db.query(
    `update registry_robot set refused_count = least(refused_count + 1, 1000000), refused_at = $3 where project = $1 and name = $2`,
    [project, name, now],
  );
}

/** Returns the notices for teams and marks them as sent, so that each is returned once. The caller must send them. */
export async function takeNotices(db: Db, daysBefore: readonly number[], now: Date): Promise<RobotNotice[]> {
  const { rows } = await db.query<RobotNotice>(
    `with today as (select ($2 at time zone 'UTC')::date as day),
     ending as (
       update registry_robot set warned_of = expires_on, warned_days = milestone
       from today, (select key.name as robot, key.project as owner, (select min(days) from unnest($1::integer[]) as days
         where key.expires_on < now_on.day + days) as milestone from registry_robot key, today now_on) soon
       where robot = name and owner = project and expires_on >= day and milestone is not null and disabled_at is null
         and (warned_of is distinct from expires_on or milestone < coalesce(warned_days, 14))
       returning project, name, to_char(expires_on, 'YYYY-MM-DD') as day),
     refused as (
       update registry_robot set refused_noted_on = (refused_at at time zone 'UTC')::date
       where refused_at is not null and refused_noted_on is distinct from (refused_at at time zone 'UTC')::date
       returning project, name, to_char(refused_noted_on, 'YYYY-MM-DD') as day)
     select 'ENDING' as kind, project, name, day from ending union all select 'REFUSED', project, name, day from refused`,
    [daysBefore, now],
  );
  return rows;
}
