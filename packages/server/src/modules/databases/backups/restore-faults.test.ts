// @long (shared process): tries a fault at every step of a pipeline
/**
 * Injects faults into the step that restores a backup, on a real server. Either all rows exist afterwards, or neither database nor role is
 * left.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect } from 'vitest';
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { EmbeddedServer } from '#adapters/databases-embedded/embedded-server.ts';
import { PostgresDatabases } from '#adapters/databases-postgres/postgres-databases.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { createClient } from '#db/connections.ts';
import { noFloor } from '#kernel/disk-floor.ts';
import { resourceModule, startOn, type EntityInput } from '#modules/resources/index.ts';
import { createVault } from '#modules/secret-groups/index.ts';
import type { Log } from '#ports/log.ts';
import { seedPeople } from '#testing/actors.ts';
import { caller, createdBy } from '#testing/faults/fault-caller.ts';
import { faultSuite } from '#testing/faults/pipeline-faults.ts';
import { seedApp } from '#testing/fixtures.ts';
import { databaseEntity } from '../database-entity.ts';
import { BackupFiles } from './backup-files.ts';
import { copyOut } from './copy/copy-out.ts';
import { fill, ROWS } from './copy/copy.fixture.ts';
import { restoreStep } from './restore-step.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const region = 'WESTEUROPE';
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-restore-faults-'));
fs.chmodSync(directory, 0o711);
const server = new EmbeddedServer({ dataDir: path.join(directory, 'databases'), log: silent, isDurable: false });
const databases = new PostgresDatabases({ kind: 'embedded', servers: { [region]: server }, mark: 'faults', log: silent });
const files = new BackupFiles({ directory: path.join(directory, 'backups'), floor: noFloor });
afterAll(async () => {
  await databases.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

const namesOf = (name: string) => ({ app: 'berth', env: 'development', database: name.replaceAll('-', '') });

const as = async <Value>(database: string, use: (client: ReturnType<typeof createClient>) => Promise<Value>): Promise<Value> => {
  const login = await databases.maintenance({ region, database });
  const client = createClient({ ...login, ssl: false });
  await client.connect();
  try {
    await client.query(`set role ${login.owner}`);
    return await use(client);
  } finally {
    await client.end();
  }
};
/** Makes a backup of a database with every kind of object. */
const backedUp = async (): Promise<string> => {
  const target = { region, database: 'source_1' };
  await databases.ensure(target, { maxConnections: 10, statementTimeoutMs: 60_000, tempFileBytes: 2 ** 30, workMemoryBytes: 2 ** 22 });
  await as(target.database, fill);
  const { signal } = new AbortController();
  const options = { file: await files.fresh('dbb_1'), database: 'source', version: '1', floor: noFloor, signal };
  return (await copyOut(await databases.maintenance(target), options)).sha256;
};

faultSuite<EntityInput, object>('a database from a backup', {
  steps: ['ProvisionDatabase', 'RestoreRows', 'MakeDatabasePassword', 'OpenReader', 'AttachSecretGroups', 'CreateDatabase'],
  faultsAt: ['RestoreRows', 'OpenReader'],
  skipped: ['AttachSecretGroups'],
  async world({ db, pool }) {
    await seedPeople(db);
    await seedApp(db, { id: 'berth', createdAt: new Date(Date.now() - 60_000) });
    const sha256 = await backedUp();
    await sql`insert into database_backup (id, database_id, app_id, environment, database, settings, kind, state, sha256, taken_at, expires_at)
      values ('dbb_1', 'db_gone', 'berth', 'development', 'source', '{}', 'ON_DEMAND', 'COMPLETED', ${sha256}, now(), now() + interval '1 day')`.execute(
      db,
    );
    const deps = { db, databases, vault: createVault(pool, new FileKeys(path.join(directory, 'keys'))) };
    const entity = databaseEntity(deps, { fill: restoreStep({ db, databases, files }) });
    const definition = resourceModule({ db, engine: undefined as never }, entity).deps.pipelines.create;
    if (!definition) throw new Error('Databases are created by a pipeline');
    const row = (name: string) =>
      db.selectFrom('database').select(['state', 'server_name']).where('name', '=', namesOf(name).database).executeTakeFirstOrThrow();
    return {
      definition,
      start: async (trx, engine, faulty, name) => {
        const names = namesOf(name);
        const settings = { displayName: 'Faults', storageGb: 32, maxConnections: 20, backupRetentionDays: 7, plan: 'BURSTABLE_1' } as const;
        const wanted = { ...settings, name: names.database, region: 'WESTEUROPE' as const, attachTo: [] };
        await entity.create.insert({ trx, caller, names, owner: undefined, wanted });
        await trx
          .updateTable('database')
          .set({ restored_from: 'dbb_1', reader_group: `berth-${names.database}-read` })
          .where('name', '=', names.database)
          .execute();
        const subject = subjectOf(databaseKind, names, { team: 'cranes' });
        const input = { ...names, stateBefore: 'NOT_CREATED' };
        return {
          pipelineId: await startOn(engine, trx, entity, { names, definition: faulty, input, subject, createdBy, trigger: 'person' }),
        };
      },
      async assertCleanSlate(name) {
        const { state, server_name: there } = await row(name);
        expect(state).toBe('NOT_CREATED');
        expect(await databases.list(region)).not.toContain(there);
      },
      async assertDone(name) {
        const { state, server_name: there } = await row(name);
        expect(state).toBe('ACTIVE');
        const { rows } = await as(there, (client) => client.query(`select count(*)::integer as count from "Odd Names"."Berths; drop"`));
        expect(rows).toEqual([{ count: ROWS }]);
        expect(await databases.observe({ region, database: there })).toMatchObject({ logins: ['a', 'reader_a'] });
      },
    };
  },
});
