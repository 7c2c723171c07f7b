/** Steps that create, change and delete a database on its server, each with its undo. */
import type { DatabaseUpdate } from '@slipway/contract/database/database.ts';
import { transaction, type Db } from '#db/database.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { changeStep, inPlace, type EntityInput, type RowStep } from '#modules/resources/index.ts';
import { attachGroups, detachGroups, environmentGroups } from '#modules/secret-groups/index.ts';
import { ignoring, isPortFailure } from '#ports/failure.ts';
import type { CredentialDeps } from './credentials.ts';
import { columnsOf, groupKeyOf, limitsOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';
import { observeDatabase } from './watcher.ts';

type Step<I = EntityInput> = RowStep<DatabaseRow, I>;

/** Runs `work`. Fails the step if the server no longer has the database: restored from elsewhere, or removed manually. */
export const requireThere = async (row: DatabaseRow, work: Promise<void>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (isPortFailure(error, 'notFound')) throw new StepFailure('DatabaseDoesNotExist', { database: row.name }, { cause: error });
    throw error;
  }
};

export const provisionStep = (deps: CredentialDeps): Step => ({
  code: 'ProvisionDatabase',
  run: async ({ row, log }) => {
    await deps.databases.ensure(targetOf(row), limitsOf(settingsOf(row)));
    const version = await deps.databases.version(row.region);
    await deps.db.updateTable('database').set({ engine_version: version }).where('id', '=', row.id).execute();
    await observeDatabase(deps, row);
    log(`Database ${row.server_name}, which ${row.server_name}_owner owns; at most ${row.max_connections} connections`);
    return { message: { code: 'DatabaseProvisioned', context: { database: row.server_name, version } } };
  },
  undo: ({ row }) => ignoring('notFound', deps.databases.drop(targetOf(row))),
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
  run: ({ row, log }) =>
    transaction(db, async (trx) => {
      if (row.attach_to.length === 0) return { skipped: true };
      const groups = (await groupOf(trx, row)).map(({ id, name }) => ({ id, name, exposeAsEnvironment: true }));
      const services = await servicesOf(trx, row);
      for (const { id, name } of services) {
        await attachGroups(trx, id, groups);
        log(`${name} reads ${row.secret_group} from its next revision on`);
      }
      return {};
    }),
  undo: ({ row }) =>
    transaction(db, async (trx) => {
      const groups = await groupOf(trx, row);
      for (const { id } of await servicesOf(trx, row)) await detachGroups(trx, id, groups);
    }),
});

/** Stores the settings in the row after the server has applied them. */
export const limitStep = ({ db, databases }: CredentialDeps): Step =>
  changeStep<DatabaseUpdate, DatabaseRow>('ApplyDatabaseLimits', async ({ row }, { to, isUndo }) => {
    const applied = databases.limit(targetOf(row), limitsOf(to, row.reader_version !== null));
    await (isUndo ? ignoring('notFound', applied) : requireThere(row, applied));
    await db.updateTable('database').set(columnsOf(to)).where('id', '=', row.id).execute();
    await observeDatabase({ db, databases }, { ...row, ...columnsOf(to) });
  });

/** First deletion step: blocks new connections. The undo allows them again. */
export const closeStep = ({ databases }: CredentialDeps): Step => ({
  code: 'CloseDatabase',
  run: ({ row }) => ignoring('notFound', databases.accept(targetOf(row), false)),
  undo: async ({ row }) => {
    if (row.active) await ignoring('notFound', databases.accept(targetOf(row), true));
  },
});
export const dropStep = ({ databases }: CredentialDeps): Step => ({
  code: 'DropDatabase',
  run: async ({ row, log }) => {
    await databases.drop(targetOf(row));
    log(`${row.server_name} is gone, with its roles`);
  },
});
