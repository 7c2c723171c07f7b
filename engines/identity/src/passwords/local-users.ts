// Users who sign in with a user name and a password that this installation stores (SLIPWAY_LOCAL_USERS=password).
import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { PasswordQueue } from '@slipway/foundation/sign-in/password-queue.ts';
import { CHOSEN, hashPassword, isPassword } from '@slipway/foundation/sign-in/password.ts';
import { firstAdministratorId } from '@slipway/foundation/sign-in/reserved-ids.ts';
import { endSessionsOf } from '../payload-store.ts';

/** About one second of work in total, and a few per address. */
export const signInQueue = new PasswordQueue({ waiting: 20, waitingOfOne: 4 });
const hashChosen = (password: string): Promise<string> => signInQueue.inTurn('', () => hashPassword(password, CHOSEN));

export interface FirstAdministrator {
  readonly username: string;
  readonly password: string;
}

/** Letters that are unambiguous when read aloud and typed. 20 letters of 31 are 99 bits. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const newPassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('')).join('-');

/** Returns the id of the user with this id or email and password. Undefined if either is wrong. Throws TooBusy. */
export const checkPassword = async (
  pool: Pool,
  { username, password, address }: { username: string; password: string; address: string },
): Promise<string | undefined> => {
  const { rows } = await pool.query<{ id: string; password_hash: string }>(
    `select id, password_hash from identity
     where (id = $1 or lower(email) = lower($1)) and type = 'USER' and left_at is null and password_hash is not null order by id = $1 desc limit 1`,
    [username],
  );
  const isRight = await signInQueue.inTurn(address, () => isPassword(password, rows[0]?.password_hash));
  return isRight ? rows[0]?.id : undefined;
};

/** Sets a user's password and ends their existing sessions. Throws if the user does not exist. */
export const setPassword = async (pool: Pool, identityId: string, password: string): Promise<void> => {
  const hash = await hashChosen(password);
  const { rowCount } = await pool.query(`update identity set password_hash = $2 where id = $1 and type = 'USER'`, [identityId, hash]);
  if (rowCount === 0) throw new Error(`There is no person ${identityId}`);
  await endSessionsOf(pool, identityId);
};

/**
 * Creates the administrator `admin` with a random password if nobody has a password yet, and returns it once. If several replicas start at
 * the same time, one creates it. To recover from a lost password, set `password_hash` to null and restart.
 */
export const makeFirstAdministrator = async (pool: Pool): Promise<FirstAdministrator | undefined> => {
  const { rows } = await pool.query(`select 1 from identity where password_hash is not null and type = 'USER' limit 1`);
  if (rows.length > 0) return undefined;
  const password = newPassword();
  const { rowCount } = await pool.query(
    `insert into identity (id, display_name, provider, type, is_administrator, password_hash)
     values ($1, 'Administrator', 'LOCAL', 'USER', true, $2)
     on conflict (id) do update set password_hash = excluded.password_hash, is_administrator = true
       where identity.password_hash is null and identity.type = 'USER' and identity.subject is null`,
    [firstAdministratorId, await hashChosen(password)],
  );
  return rowCount === 1 ? { username: firstAdministratorId, password } : undefined;
};
