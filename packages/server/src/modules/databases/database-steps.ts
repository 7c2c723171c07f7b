/** Steps that create, change and delete a database on its server, each with its undo. */
import type { Transaction } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure, type StepDefinition } from '#modules/pipelines/index.ts';
import { inPlace, type EntityInput, type Names } from '#modules/resources/index.ts';
import { attachGroups, detachGroups, dropPlatformGroup, environmentGroups } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { DatabaseTarget } from '#ports/databases.ts';
import { makePassword, unmakePassword, type CredentialDeps } from './credentials.ts';
import {
  columnsOf,
  databaseRow,
  groupKeyOf,
  limitsOf,
  readerKeyOf,
  requireRow,
  settingsOf,
  targetOf,
  type DatabaseRow,
} from './database-rows.ts';
import { observeDatabase } from './watcher.ts';

type Step<I = EntityInput> = StepDefinition<I, object>;

/** Runs `work`. Fails the step if the server no longer has the database: restored from elsewhere, or removed manually. */
export const requireThere = async (row: DatabaseRow, work: (target: DatabaseTarget) => Promise<void>): Promise<void> => {
  try {
    await work(targetOf(row));
  } catch (error) {
    if (isPortFailure(error, 'notFound')) throw new StepFailure('DatabaseDoesNotExist', { database: row.name }, { cause: error });
    throw error;
  }
};
/** Ignores a missing database, for undo and deletion. */
const ifThere = async (row: DatabaseRow | undefined, work: (target: DatabaseTarget) => Promise<void>): Promise<void> => {
  if (!row) return;
  await work(targetOf(row)).catch((error: unknown) => {
    if (!isPortFailure(error, 'notFound')) throw error;
  });
};

export const provisionStep = (deps: CredentialDeps): Step => ({
  code: 'ProvisionDatabase',
  run: async ({ input, log }) => {
    const row = await requireRow(deps.db, input);
    await deps.databases.ensure(targetOf(row), limitsOf(settingsOf(row)));
    const version = await deps.databases.version(row.region);
    await deps.db.updateTable('database').set({ engine_version: version }).where('id', '=', row.id).execute();
    await observeDatabase(deps, row);
    log(`Database ${row.server_name}, which ${row.server_name}_owner owns; at most ${row.max_connections} connections`);
    return { message: { code: 'DatabaseProvisioned', context: { database: row.server_name, version } } };
  },
  undo: async ({ input }) => ifThere(await databaseRow(deps.db, input), (target) => deps.databases.drop(target)),
});

interface PasswordWish<I> {
  readonly namesOf: (input: I) => Names;
  readonly overlapOf: (input: I) => number;
  readonly isPointOfNoReturn?: boolean;
}
export const passwordStep = <I>(deps: CredentialDeps, { namesOf, overlapOf, isPointOfNoReturn = false }: PasswordWish<I>): Step<I> => ({
  code: 'MakeDatabasePassword',
  isPointOfNoReturn,
  run: async ({ input, pipelineId, log }) => {
    const row = await requireRow(deps.db, namesOf(input));
    const version = await makePassword(deps, row, { by: pipelineId, overlapHours: overlapOf(input) });
    log(`Version ${version} of the secret group ${row.secret_group}`);
    return { message: { code: 'DatabasePasswordMade', context: { version: String(version), group: row.secret_group } } };
  },
  undo: async ({ input, pipelineId }) => {
    const row = await databaseRow(deps.db, namesOf(input));
    if (row) await unmakePassword(deps, row, pipelineId);
  },
});

const servicesOf = (db: Db, row: DatabaseRow) =>
  db
    .selectFrom('service')
    .select(['id', 'name'])
    .where(({ and }) => and(inPlace(groupKeyOf(row))))
    .where('name', 'in', [...row.attach_to, ''])
    .forShare()
    .execute();
const groupOf = async (db: Db, row: DatabaseRow) =>
  (await environmentGroups(db, groupKeyOf(row))).filter(({ name }) => name === row.secret_group);

export const attachStep = ({ db }: CredentialDeps): Step => ({
  code: 'AttachSecretGroups',
  run: ({ input, log }) =>
    transaction(db, async (trx) => {
      const row = await requireRow(trx, input);
      if (row.attach_to.length === 0) return { skipped: true };
      const groups = (await groupOf(trx, row)).map(({ id, name }) => ({ id, name, exposeAsEnvironment: true }));
      const services = await servicesOf(trx, row);
      for (const { id, name } of services) {
        await attachGroups(trx, id, groups);
        log(`${name} reads ${row.secret_group} from its next revision on`);
      }
      return {};
    }),
  undo: ({ input }) =>
    transaction(db, async (trx) => {
      const row = await databaseRow(trx, input);
      if (!row) return;
      const groups = await groupOf(trx, row);
      for (const { id } of await servicesOf(trx, row)) await detachGroups(trx, id, groups);
    }),
});

/** Stores the new settings in the row after the server has applied them. */
export const limitStep = (deps: CredentialDeps): Step => ({
  code: 'ApplyDatabaseLimits',
  run: async ({ input }) => {
    const row = await requireRow(deps.db, input);
    const { after = settingsOf(row) } = row.change ?? {};
    await requireThere(row, (target) => deps.databases.limit(target, limitsOf(after, row.reader_version !== null)));
    await deps.db.updateTable('database').set(columnsOf(after)).where('id', '=', row.id).execute();
    await observeDatabase(deps, await requireRow(deps.db, input));
  },
  undo: async ({ input }) => {
    const row = await databaseRow(deps.db, input);
    if (!row?.change) return;
    const { before } = row.change;
    await ifThere(row, (target) => deps.databases.limit(target, limitsOf(before, row.reader_version !== null)));
    await deps.db.updateTable('database').set(columnsOf(before)).where('id', '=', row.id).execute();
  },
});

/** First deletion step: blocks new connections. The undo allows them again. */
export const closeStep = ({ db, databases }: CredentialDeps): Step => ({
  code: 'CloseDatabase',
  run: async ({ input }) => ifThere(await requireRow(db, input), (target) => databases.accept(target, false)),
  undo: async ({ input }) => {
    const row = await databaseRow(db, input);
    if (row?.active) await ifThere(row, (target) => databases.accept(target, true));
  },
});
/** Deletes secret groups. Fails the step if a service uses one of them. */
export const dropGroups = async (trx: Transaction<DB>, groups: readonly ReturnType<typeof groupKeyOf>[]): Promise<void> => {
  try {
    for (const group of groups) await dropPlatformGroup(trx, group);
  } catch (error) {
    if (error instanceof Problem) throw new StepFailure(error.code, {}, { cause: error });
    throw error;
  }
};
export const dropGroupStep = ({ db }: CredentialDeps): Step => ({
  code: 'DeleteSecretGroup',
  isPointOfNoReturn: true,
  run: ({ input }) =>
    transaction(db, async (trx) => {
      const row = await requireRow(trx, input);
      await dropGroups(trx, [groupKeyOf(row), ...(row.reader_version === null ? [] : [readerKeyOf(row)])]);
    }),
  // The step is a single transaction, so there is nothing to undo.
  undo: async () => {},
});
export const dropStep = ({ db, databases }: CredentialDeps): Step => ({
  code: 'DropDatabase',
  run: async ({ input, log }) => {
    const row = await requireRow(db, input);
    await databases.drop(targetOf(row));
    log(`${row.server_name} is gone, with its roles`);
  },
});
