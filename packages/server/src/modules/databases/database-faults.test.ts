// @long (shared process): tries a fault at every step of a pipeline
/** Injects faults into every step of the database pipelines, on a real server. After an undo neither database nor role is left. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import { afterAll, expect } from 'vitest';
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { createLog } from '#kernel/log.ts';
import type { PipelineDefinition, PipelineEngine } from '#modules/pipelines/index.ts';
import { resourceModule, startOn, type Names } from '#modules/resources/index.ts';
import { createVault } from '#modules/secret-groups/index.ts';
import { seedPeople } from '#testing/actors.ts';
import type { TestDatabase } from '#testing/database.ts';
import { caller, createdBy } from '#testing/faults/fault-caller.ts';
import { faultSuite, type FaultWorld } from '#testing/faults/pipeline-faults.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';
import { makeDatabases } from '../../choose-adapters.ts';
import { givePassword } from '#modules/secret-groups/index.ts';
import { ownerOf, readerOf } from './credentials.ts';
import { databaseEntity } from './database-entity.ts';
import { databasePipelines, type ActivationInput, type RotationInput } from './database-pipelines.ts';
import { databaseRow, limitsOf, settingsOf, targetOf, type DatabaseNames, type DatabaseRow } from './database-rows.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'slipway-database-faults-'));
chmodSync(dataDir, 0o711);
const log = createLog('silent');
/** One server for all suites of this file. Database names are never reused. */
const databases = makeDatabases({ databases: { kind: 'embedded' }, publicUrl: 'http://faults', dataDir }, log, false);
afterAll(async () => {
  await databases.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const place = { app: 'berth', env: 'development' } as const;
const region = 'WESTEUROPE';
const settings = { displayName: 'Faults', storageGb: 32, maxConnections: 20, backupRetentionDays: 7, plan: 'BURSTABLE_1' } as const;

/** `word` prefixes names, so that suites don't see each other's databases. */
const open = async (database: TestDatabase, word: string) => {
  const namesFor = (name: string) => ({ ...place, database: `${word}${name.replaceAll('-', '')}` });
  const { db, pool } = database;
  await seedPeople(db);
  await seedApp(db, { id: 'berth', createdAt: new Date(Date.now() - 60_000) });
  const serviceId = await seedService(db, { app: 'berth' });
  const deps = { db, databases, vault: createVault(pool, new FileKeys(join(dataDir, 'keys'))) };
  const entity = databaseEntity(deps);
  const row = async (name: string): Promise<DatabaseRow | undefined> => databaseRow(db, namesFor(name));
  const insert = async (trx: Transaction<DB>, names: Names, attachTo: string[]) => {
    const wanted = { ...settings, name: names['database'] ?? '', region, attachTo } as const;
    await entity.create.insert({ trx, caller, names, owner: undefined, wanted });
  };
  /** Creates a database in the state that a completed pipeline leaves. */
  const made = async (name: string): Promise<DatabaseRow> => {
    const names = namesFor(name);
    await transaction(db, (trx) => insert(trx, names, []));
    await db.updateTable('database').set({ state: 'ACTIVE' }).where('name', '=', names.database).execute();
    const found = (await row(name))!;
    await databases.ensure(targetOf(found), limitsOf(settings));
    await givePassword(deps, ownerOf(deps, found), { by: 'before', overlapHours: 0 });
    return (await row(name))!;
  };
  /** Also turns the read-only login on. */
  const madeWithReader = async (name: string): Promise<DatabaseRow> => {
    const found = await made(name);
    await db
      .updateTable('database')
      .set({ reader_group: `${found.secret_group}-read` })
      .where('id', '=', found.id)
      .execute();
    await databases.admitReaders(targetOf(found), limitsOf(settings, true));
    await givePassword(deps, readerOf(deps, (await row(name))!), { by: 'before', overlapHours: 0 });
    return (await row(name))!;
  };
  const start = async <I extends object>(
    trx: Transaction<DB>,
    engine: PipelineEngine,
    definition: PipelineDefinition<I, object>,
    names: Names,
    input: I,
  ) => {
    const subject = subjectOf(databaseKind, { ...place, ...names, database: names['database'] ?? '' }, { team: 'cranes' });
    return { pipelineId: await startOn(engine, trx, entity, { names, definition, input, subject, createdBy, trigger: 'person' }) };
  };
  const group = (name: string, suffix = '') =>
    db
      .selectFrom('secret_group')
      .selectAll()
      .where('name', '=', `berth-${namesFor(name).database}${suffix}`)
      .executeTakeFirst();
  /** Lists what the server itself reports, read with the platform's role. */
  const left = async (name: string) => (await databases.list(region)).filter((found) => found.startsWith(`${namesFor(name).database}_`));
  const own = resourceModule({ db, engine: undefined as never }, entity).deps.pipelines;
  return { namesFor, db, deps, entity, row, insert, made, madeWithReader, start, group, left, own, serviceId };
};
type World<I extends object> = FaultWorld<I, object>;
const observed = (row: DatabaseRow | undefined) => databases.observe(targetOf(row!));

faultSuite('a new database', {
  steps: ['ProvisionDatabase', 'MakeDatabasePassword', 'OpenReader', 'AttachSecretGroups', 'CreateDatabase'],
  skipped: ['OpenReader'],
  async world(database) {
    const { namesFor, db, row, insert, start, group, left, own, serviceId } = await open(database, 'made');
    const attached = () => db.selectFrom('service_secret_group').select('group_id').where('service_id', '=', serviceId).execute();
    return {
      definition: own.create!,
      start: async (trx, engine, faulty, name) => {
        await insert(trx, namesFor(name), ['berth']);
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), stateBefore: 'NOT_CREATED' });
      },
      async assertCleanSlate(name) {
        expect(await left(name)).toEqual([]);
        expect(await group(name)).toBeUndefined();
        expect(await row(name)).toMatchObject({ state: 'NOT_CREATED', login: null, credentials_version: null });
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ state: 'ACTIVE', login: 'a', credentials_version: 1 });
        expect(await observed(await row(name))).toMatchObject({ isAccepting: true, logins: ['a'], maxConnections: 20 });
        expect((await attached()).map(({ group_id }) => group_id)).toContain((await group(name))?.id);
      },
    } satisfies World<Names & { readonly stateBefore: string }>;
  },
});

faultSuite('a change of a database', {
  steps: ['ApplyDatabaseLimits', 'UpdateDatabase'],
  async world(database) {
    const { namesFor, db, row, made, start, own } = await open(database, 'changed');
    return {
      definition: own.update!,
      start: async (trx, engine, faulty, name) => {
        const before = await made(name);
        const after = { ...settings, maxConnections: 30, storageGb: 64 };
        const change = JSON.stringify({ before: settingsOf(before), after });
        await db.updateTable('database').set({ change }).where('id', '=', before.id).execute();
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), stateBefore: 'ACTIVE' });
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject({ state: 'ACTIVE', max_connections: 20, storage_gb: 32 });
        expect(await observed(await row(name))).toMatchObject({ maxConnections: 20 });
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ state: 'ACTIVE', max_connections: 30, storage_gb: 64 });
        expect(await observed(await row(name))).toMatchObject({ maxConnections: 30 });
      },
    } satisfies World<Names & { readonly stateBefore: string }>;
  },
});

faultSuite<RotationInput, object>('a new password', {
  steps: ['MakeDatabasePassword', 'MakeReaderPassword', 'EndFormerPassword'],
  async world(database) {
    const { namesFor, deps, entity, row, madeWithReader, start, group } = await open(database, 'rotated');
    return {
      definition: databasePipelines(deps, entity).rotation,
      start: async (trx, engine, faulty, name) => {
        await madeWithReader(name);
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), overlapHours: 0 });
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject({ login: 'a', credentials_version: 1, reader_login: 'reader_a', former_ends_at: null });
        expect(await observed(await row(name))).toMatchObject({ logins: ['a', 'reader_a'] });
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ login: 'b', reader_login: 'reader_b', former_ends_at: null });
        expect(await observed(await row(name))).toMatchObject({ logins: ['b', 'reader_b'] });
        expect((await group(name, '-read'))?.last_version).toBe((await row(name))?.reader_version);
        expect((await group(name))?.last_version).toBe((await row(name))?.credentials_version);
      },
    };
  },
});

faultSuite<ActivationInput, object>('a deactivation', {
  steps: ['AcceptConnections'],
  async world(database) {
    const { namesFor, deps, entity, row, made, start } = await open(database, 'closed');
    return {
      definition: databasePipelines(deps, entity).activation,
      start: async (trx, engine, faulty, name) => {
        await made(name);
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), isActive: false });
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject({ active: true });
        expect(await observed(await row(name))).toMatchObject({ isAccepting: true });
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ active: false });
        expect(await observed(await row(name))).toMatchObject({ isAccepting: false });
      },
    };
  },
});

const isOff = { reader_login: null, reader_version: null, reader_by: null };
faultSuite<DatabaseNames, object>('a read-only login', {
  steps: ['OpenReader'],
  async world(database) {
    const { namesFor, db, deps, entity, row, made, start, group } = await open(database, 'opened');
    return {
      definition: databasePipelines(deps, entity).openReader,
      start: async (trx, engine, faulty, name) => {
        const { id, secret_group: own } = await made(name);
        await db
          .updateTable('database')
          .set({ reader_group: `${own}-read` })
          .where('id', '=', id)
          .execute();
        return start(trx, engine, faulty, namesFor(name), namesFor(name));
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject(isOff);
        expect(await observed(await row(name))).toMatchObject({ logins: ['a'], maxConnections: 20 });
        expect(await group(name, '-read')).toBeUndefined();
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ reader_login: 'reader_a', reader_version: 1 });
        expect(await observed(await row(name))).toMatchObject({ logins: ['a', 'reader_a'], maxConnections: 16 });
        expect(await group(name, '-read')).toMatchObject({ last_version: 1 });
      },
    };
  },
});

faultSuite<DatabaseNames, object>('the end of a read-only login', {
  steps: ['DeleteReaderGroup', 'CloseReader'],
  async world(database) {
    const { namesFor, deps, entity, row, madeWithReader, start, group } = await open(database, 'ended');
    return {
      definition: databasePipelines(deps, entity).closeReader,
      start: async (trx, engine, faulty, name) => {
        await madeWithReader(name);
        return start(trx, engine, faulty, namesFor(name), namesFor(name));
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject({ reader_login: 'reader_a', reader_version: 1 });
        expect(await observed(await row(name))).toMatchObject({ logins: ['a', 'reader_a'], maxConnections: 16 });
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ ...isOff, reader_group: null });
        expect(await observed(await row(name))).toMatchObject({ logins: ['a'], maxConnections: 20 });
        expect(await group(name, '-read')).toBeUndefined();
      },
    };
  },
});

faultSuite('a deletion of a database', {
  steps: ['CloseDatabase', 'DeleteSecretGroup', 'DropDatabase', 'DeleteDatabase'],
  async world(database) {
    const { namesFor, db, row, madeWithReader, start, group, left, own } = await open(database, 'deleted');
    return {
      definition: own.remove!,
      start: async (trx, engine, faulty, name) => {
        const { id } = await madeWithReader(name);
        await db.updateTable('database').set({ state: 'DELETING' }).where('id', '=', id).execute();
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), stateBefore: 'ACTIVE' });
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject({ login: 'a' });
        expect(await observed(await row(name))).toMatchObject({ isAccepting: true });
      },
      async assertDone(name) {
        expect([await row(name), await group(name), await group(name, '-read')]).toEqual([undefined, undefined, undefined]);
        expect(await left(name)).toEqual([]);
      },
    } satisfies World<Names & { readonly stateBefore: string }>;
  },
});
