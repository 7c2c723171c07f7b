/** Account rows, their credential, and the names of an account's users on the cluster. */
import type { Selectable } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import type { Requests } from '#modules/requests/index.ts';
import { credentialOf, rowIn, type Names, type Turn } from '#modules/resources/index.ts';
import type { SecretDeps } from '#modules/secret-groups/index.ts';
import type { Streaming } from '#ports/streaming.ts';
import type { PasswordSeals } from './password-seals.ts';

export type AccountRow = Selectable<DB['account']>;

export interface AccountDeps {
  readonly db: Db;
  readonly streaming: Streaming;
  readonly secrets: SecretDeps;
  readonly seals: PasswordSeals;
  /** Holds the requests for topics of other teams. */
  readonly requests: Requests;
  /** Time limit for trying to sign in with a new password. */
  readonly signInMs: number;
  /** Returns the URL of an environment's schema registry for clients. */
  readonly registryUrl: (environment: Environment) => string | null;
}

/** Names as path parameters and pipeline inputs have them. */
export type AccountNames = Readonly<Record<'app' | 'env' | 'account', string>>;
export const accountRow = (db: Db, names: Names): Promise<AccountRow | undefined> => rowIn(db, 'account', names, names['account']);

export const requireAccount = async (db: Db, names: Names, field?: string): Promise<AccountRow> => {
  const row = await accountRow(db, names);
  if (!row) throw new Problem('AccountDoesNotExist', field === undefined ? {} : { field });
  return row;
};

/** Two users alternate, so that the former keeps working while clients switch to the new password. */
export const accountCredential = ({ turn, password_by: by, former_ends_at }: Pick<AccountRow, 'turn' | 'password_by' | 'former_ends_at'>) =>
  credentialOf({ turn, by, formerEndsAt: former_ends_at });
export const userName = ({ principal }: Pick<AccountRow, 'principal'>, turn: Turn): string => (turn === 1 ? principal : `${principal}~2`);
/** Returns the user that has the newest password, or will get the first. */
export const currentTurn = ({ turn }: Pick<AccountRow, 'turn'>): Turn => turn ?? 1;
export const groupKeyOf = ({ app_id, environment, secret_group }: Pick<AccountRow, 'app_id' | 'environment' | 'secret_group'>) => ({
  app: app_id,
  environment,
  group: secret_group ?? '',
});
