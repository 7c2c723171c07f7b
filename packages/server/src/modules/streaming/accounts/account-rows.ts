/** Account rows: how steps find theirs, and the names of an account's users on the cluster. */
import type { Selectable } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import type { Requests } from '#modules/requests/index.ts';
import { placeOf, rowAt, type Names } from '#modules/resources/index.ts';
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
export interface AccountNames {
  readonly app: string;
  readonly env: string;
  readonly account: string;
}
export const namesOf = ({ app, env, account }: AccountNames): Names => ({ app, env, account });
export const accountRow = (db: Db, names: Names): Promise<AccountRow | undefined> =>
  db
    .selectFrom('account')
    .selectAll()
    .where(({ and }) => and(rowAt(placeOf(names), names['account'] ?? '')))
    .executeTakeFirst();

/** Returns the row for a step. A missing row means that the account was discarded. */
export const requireRow = async (db: Db, names: Names): Promise<AccountRow> => {
  const row = await accountRow(db, names);
  if (!row) throw new StepFailure('Discarded');
  return row;
};

/** Two users alternate, so that the former keeps working while clients switch to the new password. */
export type Turn = 1 | 2;
export const turns: readonly Turn[] = [1, 2];
export const otherTurn = (turn: Turn): Turn => (turn === 1 ? 2 : 1);
export const userName = ({ principal }: Pick<AccountRow, 'principal'>, turn: Turn): string => (turn === 1 ? principal : `${principal}~2`);
/** Returns the user that has the newest password, or will get the first. */
export const currentTurn = ({ turn }: Pick<AccountRow, 'turn'>): Turn => (turn === 2 ? 2 : 1);
/** Returns the users that should have the account's rules now. */
export const liveTurns = (row: Pick<AccountRow, 'turn' | 'former_ends_at'>): readonly Turn[] => {
  const turn = currentTurn(row);
  return row.former_ends_at === null ? [turn] : [turn, otherTurn(turn)];
};
export const groupKeyOf = ({ app_id, environment, secret_group }: Pick<AccountRow, 'app_id' | 'environment' | 'secret_group'>) => ({
  app: app_id,
  environment,
  group: secret_group ?? '',
});
