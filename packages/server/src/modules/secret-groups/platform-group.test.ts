/** Groups that the platform writes: versions, their withdrawal, and a person's group with the same name. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { transaction } from '#db/database.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { seedApp } from '#testing/fixtures.ts';
import { dropGroupsStep, withdrawPlatformVersion, writePlatformVersion } from './platform-group.ts';
import type { SecretDeps } from './secret-groups.ts';
import { createVault } from './vault.ts';

const keys = mkdtempSync(join(tmpdir(), 'slipway-platform-group-'));
const key = { app: 'berth', environment: 'development', group: 'berth-plans' } as const;
let database: TestDatabase;
let deps: SecretDeps;
beforeAll(async () => {
  database = await testDatabase();
  const { db, pool } = database;
  await seedPeople(db);
  await seedApp(db, { id: 'berth' });
  deps = { db, vault: createVault(pool, new FileKeys(keys)) };
});
afterAll(async () => {
  await database.drop();
  rmSync(keys, { recursive: true, force: true });
});

const write = () => writePlatformVersion(deps, key, new Map([['DB_PASSWORD', 'secret']]), async () => {});
const withdraw = (version: number) => transaction(deps.db, (trx) => withdrawPlatformVersion(trx, key, version));
const group = () => deps.db.selectFrom('secret_group').selectAll().where('name', '=', key.group).executeTakeFirst();

test('a withdrawn version leaves the newest that exists, which is not always the one before', async () => {
  expect([await write(), await write()]).toEqual([1, 2]);
  expect(await withdraw(2)).toBe(1);
  expect(await write()).toBe(3);
  expect(await withdraw(3)).toBe(1);
});

test('the group goes with its only version', async () => {
  expect(await withdraw(1)).toBeNull();
  expect(await group()).toBeUndefined();
  expect(await withdraw(1)).toBeNull();
});

test('a step deletes the groups of its row, and is skipped without any', async () => {
  await write();
  const step = dropGroupsStep<{ readonly has: boolean }, object>(deps.db, 'DeleteSecretGroup', ({ has }) => (has ? [key] : []));
  expect(await step.run({ row: { has: false } } as never)).toEqual({ skipped: true });
  expect(await group()).toMatchObject({ kind: 'PLATFORM', last_version: 1 });
  expect(await step.run({ row: { has: true } } as never)).toEqual({ skipped: false });
  expect(await group()).toBeUndefined();
});

test("a person's group with the name fails the step, and stays", async () => {
  await deps.db
    .insertInto('secret_group')
    .values({
      id: 'sg_1',
      app_id: 'berth',
      environment: 'development',
      name: key.group,
      kind: 'USER',
      created_by: 'olga',
      created_by_name: 'Olga',
    })
    .execute();
  await expect(write()).rejects.toMatchObject({ name: 'StepFailure', code: 'SecretGroupAlreadyExists', context: { group: key.group } });
  expect(await withdraw(1)).toBeNull();
  expect(await group()).toMatchObject({ kind: 'USER' });
});
