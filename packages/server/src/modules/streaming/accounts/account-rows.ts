/** Rows of accounts: how a step finds its own, and what its users are called on the cluster. */
import type { Selectable } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
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
  /** For how long a new password is tried. */
  readonly signInMs: number;
  /** Of an environment's schema registry, as clients reach it. */
  readonly registryUrl: (environment: Environment) => string | null;
}

/** As its routes, and the inputs of its own pipelines, have them. */
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

/** Of a step: a row that is gone was discarded. */
export const requireRow = async (db: Db, names: Names): Promise<AccountRow> => {
  const row = await accountRow(db, names);
  if (!row) throw new StepFailure('Discarded');
  return row;
};

/** Two users take turns: while clients go over to the new password, the former goes on working. */
export type Turn = 1 | 2;
export const turns: readonly Turn[] = [1, 2];
export const otherTurn = (turn: Turn): Turn => (turn === 1 ? 2 : 1);
export const userName = ({ principal }: Pick<AccountRow, 'principal'>, turn: Turn): string => (turn === 1 ? principal : `${principal}~2`);
/** The user that has the newest password, or will have the first. */
export const currentTurn = ({ turn }: Pick<AccountRow, 'turn'>): Turn => (turn === 2 ? 2 : 1);
/** Those that shall have the rules of the account now. */
export const liveTurns = (row: Pick<AccountRow, 'turn' | 'former_ends_at'>): readonly Turn[] => {
  const turn = currentTurn(row);
  return row.former_ends_at === null ? [turn] : [turn, otherTurn(turn)];
};
export const groupKeyOf = ({ app_id, environment, secret_group }: Pick<AccountRow, 'app_id' | 'environment' | 'secret_group'>) => ({
  app: app_id,
  environment,
  group: secret_group ?? '',
});
