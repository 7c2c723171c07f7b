/**
 * Passwords of accounts: generated, set on the cluster, tried, and handed over once, to a secret group or to the requester. A password is
 * sealed in the row before the cluster gets it, so that a repeated step continues with the same password.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Updateable } from 'kysely';
import { accountSecretKeys, type Account } from '@slipway/contract/streaming/account.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure, type Person } from '#modules/pipelines/index.ts';
import {
  closeFormer,
  formerEndOf,
  isIssuedBy,
  issue,
  unissue,
  type Credential,
  type Issued,
  type PasswordWish,
  type Turn,
} from '#modules/resources/index.ts';
import { withdrawPlatformVersion, writePlatformVersion } from '#modules/secret-groups/index.ts';
import type { StreamingConnection } from '#ports/streaming.ts';
import { removeRules } from './access-rules.ts';
import { accountCredential, currentTurn, groupKeyOf, userName, type AccountDeps, type AccountRow } from './account-rows.ts';
import { hashOf, newPassword } from './password-seals.ts';

interface UserWish extends PasswordWish {
  readonly createdBy: Person;
}
/** Time that a password waits for its requester, in milliseconds. */
export const waitingMs = 15 * 60_000;
const nothingWaits = { waiting_sealed: null, waiting_by: null, waiting_for: null, waiting_for_name: null, waiting_until: null };

export const hintAccount = (db: Db, { app_id, environment, name }: Pick<AccountRow, 'app_id' | 'environment' | 'name'>): Promise<void> =>
  notifyChange(db, { kind: 'account', app: app_id, env: environment, account: name });

const update = async (db: Db, { id }: Pick<AccountRow, 'id'>, change: Updateable<DB['account']>): Promise<void> => {
  await db.updateTable('account').set(change).where('id', '=', id).execute();
};

const connectionOf = (
  { bootstrapServers, securityProtocol, mechanism, certificateAuthority }: StreamingConnection,
  schemaRegistryUrl: string | null,
): NonNullable<Account['connection']> => ({
  bootstrapServers: bootstrapServers.map(({ host, port }) => `${host}:${port}`),
  securityProtocol,
  mechanism,
  certificateAuthority: certificateAuthority ?? null,
  schemaRegistryUrl,
});

/** Returns the password that this pipeline sealed before, or a new one. Fails if someone else created the user on the cluster. */
const sealedPassword = async ({ db, streaming, seals }: AccountDeps, row: AccountRow, { by, turn }: Issued): Promise<string> => {
  if (row.waiting_by === by && row.waiting_sealed !== null) return seals.open(row.id, row.waiting_sealed);
  const user = userName(row, turn);
  if (turn !== row.turn && (await streaming.listUsers(row.environment, user)).includes(user))
    throw new StepFailure('ClusterUserExists', { user });
  const password = newPassword();
  await update(db, row, { ...nothingWaits, waiting_sealed: await seals.seal(row.id, password), waiting_by: by });
  return password;
};

type ClusterDeps = Pick<AccountDeps, 'db' | 'streaming'>;
/** Rules also apply to open connections, so they are removed before the password. */
const closeUser = async (deps: ClusterDeps, row: AccountRow, turn: Turn): Promise<void> => {
  await removeRules(deps, row, [turn]);
  await deps.streaming.closeUser(row.environment, userName(row, turn));
};

/** Sets the new password on the cluster and records it in the row. Returns the user. */
export const makeUser = async (deps: AccountDeps, row: AccountRow, { createdBy, ...wish }: UserWish): Promise<string> => {
  const { db, streaming, registryUrl } = deps;
  const give = async (next: Issued): Promise<string> => {
    const user = userName(row, next.turn);
    const password = await sealedPassword(deps, row, next);
    await streaming.openUser(row.environment, user, password);
    const connection = connectionOf(await streaming.connection(row.environment), registryUrl(row.environment));
    await transaction(db, async (trx) => {
      await update(trx, row, {
        turn: next.turn,
        password_hash: hashOf(password),
        password_at: new Date(),
        password_by: next.by,
        password_by_name: createdBy.displayName,
        former_hash: next.state === 'OVERLAP' ? row.password_hash : null,
        former_ends_at: formerEndOf(next),
        connection: JSON.stringify(connection),
      });
      await hintAccount(trx, row);
    });
    return user;
  };
  return (await issue({ credential: accountCredential(row), give }, wish)) ?? userName(row, currentTurn(row));
};

/** Removes a new user. The former user becomes current again. */
export const unmakeUser = async (deps: ClusterDeps, row: AccountRow, by: string): Promise<void> => {
  const { db } = deps;
  const credential = accountCredential(row);
  // A user that this pipeline neither made nor was about to make may belong to someone else.
  if (!isIssuedBy(credential, by) && row.waiting_by !== by) return;
  const takeBack = (before: Credential): Promise<void> => {
    const former = before.state === 'NONE' ? { turn: null, password_hash: null } : { turn: before.turn, password_hash: row.former_hash };
    return update(db, row, { ...former, password_by: null, former_hash: null, former_ends_at: null });
  };
  await unissue({ credential, close: (turn) => closeUser(deps, row, turn), takeBack }, by);
  await update(db, row, nothingWaits);
};

export const endFormerUser = async (deps: ClusterDeps, row: AccountRow): Promise<void> => {
  if (row.turn === null || row.former_ends_at === null) return;
  await closeFormer({ credential: accountCredential(row), close: (turn) => closeUser(deps, row, turn) });
  // The conditions skip the update if another password was made meanwhile, since the former user is a different one then.
  await deps.db
    .updateTable('account')
    .set({ former_hash: null, former_ends_at: null })
    .where('id', '=', row.id)
    .where('turn', '=', row.turn)
    .where('password_by', '=', row.password_by)
    .execute();
  await hintAccount(deps.db, row);
};

/** Tries to sign in like a client, with the new password. */
export const trySignIn = async ({ streaming, seals, signInMs }: AccountDeps, row: AccountRow, signal: AbortSignal): Promise<string> => {
  const user = userName(row, currentTurn(row));
  // The password was tried before it was handed over.
  if (row.waiting_sealed === null) return user;
  const password = await seals.open(row.id, row.waiting_sealed);
  const giveUpAt = Date.now() + signInMs;
  while (!(await streaming.canSignIn(row.environment, user, password))) {
    if (Date.now() > giveUpAt) throw new StepFailure('SignInRefused', { user });
    await pause(200, undefined, { signal });
  }
  return user;
};

type Key = (typeof accountSecretKeys)[number];
const valuesOf = (row: AccountRow, password: string): ReadonlyMap<string, string> => {
  const user = userName(row, currentTurn(row));
  const { bootstrapServers = [], securityProtocol = '', mechanism = '', certificateAuthority, schemaRegistryUrl } = row.connection ?? {};
  const values: Record<Key, string> = {
    KAFKA_BOOTSTRAP_SERVERS: bootstrapServers.join(','),
    KAFKA_USERNAME: user,
    KAFKA_PASSWORD: password,
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SECURITY_PROTOCOL: securityProtocol,
    KAFKA_GROUP_PREFIX: row.group_prefix,
    KAFKA_CA_CERTIFICATE: certificateAuthority ?? '',
    SCHEMA_REGISTRY_URL: schemaRegistryUrl ?? '',
    SCHEMA_REGISTRY_USERNAME: user,
    SCHEMA_REGISTRY_PASSWORD: password,
  };
  return new Map(Object.entries(values).filter(([, value]) => value !== ''));
};

export interface HandedOver {
  /** Version of the secret group. Undefined if the password waits for the requester. */
  readonly version: number | undefined;
  readonly until: Date;
}
/** The last step for a password. `by` is the pipeline's id. A second call with the same `by` does nothing. */
export const handOver = async (deps: AccountDeps, row: AccountRow, by: string, to: Person): Promise<HandedOver> => {
  const until = new Date(Date.now() + waitingMs);
  if (row.secret_group === null) {
    await update(deps.db, row, { waiting_for: to.id, waiting_for_name: to.displayName, waiting_until: until });
    return { version: undefined, until };
  }
  if (row.secret_by === by && row.secret_version !== null) return { version: row.secret_version, until };
  if (row.waiting_sealed === null) throw new Error('There is no password to hand over');
  const values = valuesOf(row, await deps.seals.open(row.id, row.waiting_sealed));
  const version = await writePlatformVersion(deps.secrets, groupKeyOf(row), values, (trx, made) =>
    update(trx, row, { ...nothingWaits, secret_version: made, secret_by: by }),
  );
  return { version, until };
};

/** Removes the version from the secret group. A waiting password is removed with its user. */
export const takeBack = async ({ db }: AccountDeps, row: AccountRow, by: string): Promise<void> => {
  const { secret_version: version } = row;
  if (row.secret_by !== by || version === null) return update(db, row, { waiting_until: null });
  return transaction(db, async (trx) => {
    const left = await withdrawPlatformVersion(trx, groupKeyOf(row), version);
    await update(trx, row, { secret_by: null, secret_version: left });
  });
};

/** Deletes waiting passwords that nobody took in time. */
export const forgetWaiting = async (db: Db): Promise<void> => {
  await db.updateTable('account').set(nothingWaits).where('waiting_until', '<=', new Date()).execute();
};

/** Returns the waiting password, once, and only to its requester. */
export const takePassword = async (
  { db, seals }: AccountDeps,
  row: AccountRow,
  caller: Person,
  within: (trx: Db, user: string) => Promise<void>,
): Promise<{ user: string; password: string }> => {
  if (row.waiting_sealed === null || row.waiting_until === null || row.waiting_until <= new Date())
    throw new Problem('AccountPasswordGone');
  if (row.waiting_for !== caller.id) throw new Problem('AccountPasswordOfOther', { context: { name: row.waiting_for_name ?? '' } });
  const user = userName(row, currentTurn(row));
  const password = await seals.open(row.id, row.waiting_sealed);
  const { waiting_sealed: sealed } = row;
  await transaction(db, async (trx) => {
    const taken = await trx
      .updateTable('account')
      .set(nothingWaits)
      .where('id', '=', row.id)
      .where('waiting_sealed', '=', sealed)
      .returning('id')
      .executeTakeFirst();
    if (!taken) throw new Problem('AccountPasswordGone');
    await within(trx, user);
    await hintAccount(trx, row);
  });
  return { user, password };
};
