/**
 * Authenticates accounts at the schema registry. Uses the platform's own password hashes, so it needs no sign-in on the cluster and works
 * while the cluster is unavailable (record 0049).
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import { endFormerRule, otherTurn } from '#modules/resources/index.ts';
import { accountCredential, userName } from './account-rows.ts';
import { isHashOf } from './password-seals.ts';

export interface VerifiedAccount {
  readonly app: string;
  readonly account: string;
  readonly environment: Environment;
  /** User name of the sign-in. */
  readonly user: string;
}

/** Returns undefined both for an unknown user and for a wrong password, so callers cannot tell them apart. */
export const verifyAccount = async (
  db: Db,
  environment: Environment,
  user: string,
  password: string,
): Promise<VerifiedAccount | undefined> => {
  const row = await db
    .selectFrom('account')
    .selectAll()
    .where('environment', '=', environment)
    .where('principal', '=', user.replace(/~2$/, ''))
    .where('state', 'in', ['ACTIVE', 'CREATING'])
    .executeTakeFirst();
  if (!row || row.turn === null) return undefined;
  const isNewest = user === userName(row, row.turn);
  const isFormer = user === userName(row, otherTurn(row.turn)) && endFormerRule(accountCredential(row)) === true;
  if (!isNewest && !isFormer) return undefined;
  return isHashOf(password, isNewest ? row.password_hash : row.former_hash)
    ? { app: row.app_id, account: row.name, environment, user }
    : undefined;
};
