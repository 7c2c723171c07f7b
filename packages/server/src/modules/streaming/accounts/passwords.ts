/**
 * Passwords of accounts: generated, set on the cluster, tried, and handed over once, to a secret group or to the requester. A password is
 * sealed in the row before the cluster gets it, so that a repeated step continues with the same password.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { accountSecretKeys, type Account } from '@slipway/contract/streaming/account.ts';
import { notifyChange } from '#kernel/changes.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure, type Person } from '#modules/pipelines/index.ts';
import { withdrawPlatformVersion, writePlatformVersion } from '#modules/secret-groups/index.ts';
import { transaction, type Db } from '#db/database.ts';
import type { StreamingConnection } from '#ports/streaming.ts';
import { currentTurn, groupKeyOf, otherTurn, userName, type AccountDeps, type AccountRow, type Turn } from './account-rows.ts';
import { hashOf, newPassword } from './password-seals.ts';

const HOUR_MS = 3_600_000;
/** Time that a password waits for its requester, in milliseconds. */
export const waitingMs = 15 * 60_000;
const platform = { id: 'platform', displayName: 'Slipway' };
const nothingWaits = { waiting_sealed: null, waiting_by: null, waiting_for: null, waiting_for_name: null, waiting_until: null };

export const hintAccount = (db: Db, { app_id, environment, name }: Pick<AccountRow, 'app_id' | 'environment' | 'name'>): Promise<void> =>
  notifyChange(db, { kind: 'account', app: app_id, env: environment, account: name });

const update = (db: Db, { id }: Pick<AccountRow, 'id'>, change: Partial<Parameters<typeof setOf>[0]>) =>
  db.updateTable('account').set(setOf(change)).where('id', '=', id).execute();
type Change = Partial<
  Pick<
    AccountRow,
    | 'turn'
    | 'password_hash'
    | 'password_at'
    | 'password_by'
    | 'password_by_name'
    | 'former_hash'
    | 'former_ends_at'
    | 'secret_version'
    | 'secret_by'
    | 'waiting_sealed'
    | 'waiting_by'
    | 'waiting_for'
    | 'waiting_for_name'
    | 'waiting_until'
  >
> & { readonly connection?: string };
const setOf = (change: Change): Change => change;

export interface Wanted {
  /** The pipeline's id. A second call with the same id does nothing. */
  readonly by: string;
  /** The user that gets the password. */
  readonly turn: Turn;
  /** Hours for which the former user stays valid. 0 if the same user gets another password. */
  readonly overlapHours: number;
  readonly createdBy: Person;
}

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
const sealedPassword = async ({ db, streaming, seals }: AccountDeps, row: AccountRow, { by, turn }: Wanted): Promise<string> => {
  if (row.waiting_by === by && row.waiting_sealed !== null) return seals.open(row.id, row.waiting_sealed);
  const user = userName(row, turn);
  const isNew = row.turn === null || turn !== currentTurn(row);
  if (isNew && (await streaming.listUsers(row.environment, user)).includes(user)) throw new StepFailure('ClusterUserExists', { user });
  const password = newPassword();
  await update(db, row, { ...nothingWaits, waiting_sealed: await seals.seal(row.id, password), waiting_by: by });
  return password;
};

/** Sets the new password on the cluster and records it in the row. */
export const makeUser = async (deps: AccountDeps, row: AccountRow, wanted: Wanted): Promise<string> => {
  const { db, streaming, registryUrl } = deps;
  const { by, turn, overlapHours, createdBy } = wanted;
  const user = userName(row, turn);
  if (row.password_by === by) return user;
  const password = await sealedPassword(deps, row, wanted);
  await streaming.openUser(row.environment, user, password);
  const connection = connectionOf(await streaming.connection(row.environment), registryUrl(row.environment));
  const hasFormer = row.turn !== null && turn !== currentTurn(row);
  await transaction(db, async (trx) => {
    await update(trx, row, {
      turn,
      password_hash: hashOf(password),
      password_at: new Date(),
      password_by: by,
      password_by_name: createdBy.displayName,
      former_hash: hasFormer ? row.password_hash : null,
      former_ends_at: hasFormer ? new Date(Date.now() + overlapHours * HOUR_MS) : null,
      connection: JSON.stringify(connection),
    });
    await hintAccount(trx, row);
  });
  return user;
};

/** Removes a new user. The former user becomes current again. */
export const unmakeUser = async (
  { db, streaming }: AccountDeps,
  row: AccountRow,
  { by, turn }: Pick<Wanted, 'by' | 'turn'>,
): Promise<void> => {
  const isMade = row.password_by === by;
  if (!isMade && row.waiting_by !== by) return;
  await streaming.closeUser(row.environment, userName(row, turn));
  const before =
    row.former_ends_at === null ? { turn: null, password_hash: null } : { turn: otherTurn(turn), password_hash: row.former_hash };
  await update(db, row, {
    ...(isMade ? { ...before, password_by: null, former_hash: null, former_ends_at: null } : {}),
    ...nothingWaits,
  });
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
  try {
    const version = await writePlatformVersion(deps.secrets, groupKeyOf(row), values, platform, async (trx, made) => {
      await update(trx, row, { ...nothingWaits, secret_version: made, secret_by: by });
    });
    return { version, until };
  } catch (error) {
    if (error instanceof Problem && error.code === 'SecretGroupAlreadyExists')
      throw new StepFailure(error.code, { group: row.secret_group }, { cause: error });
    throw error;
  }
};

/** Removes the version from the secret group. A waiting password is removed with its user. */
export const takeBack = async ({ db }: AccountDeps, row: AccountRow, by: string): Promise<void> => {
  if (row.secret_by !== by || row.secret_version === null) return update(db, row, { waiting_until: null }).then(() => {});
  const version = row.secret_version;
  await transaction(db, async (trx) => {
    await withdrawPlatformVersion(trx, groupKeyOf(row), version);
    await update(trx, row, { secret_by: null, secret_version: version > 1 ? version - 1 : null });
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
