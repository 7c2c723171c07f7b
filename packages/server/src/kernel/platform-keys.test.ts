// One key per purpose, even with concurrent first callers. Useless without the key files that wrapped it.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { platformKey } from './platform-keys.ts';

let database: TestDatabase;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-platform-keys-'));
const keys = new FileKeys(directory);
const make = () => randomBytes(32);

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.drop();
  fs.rmSync(directory, { recursive: true });
});

test('replicas that start at once agree on one key', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => platformKey(database.pool, new FileKeys(directory), 'at-once', make)));
  expect(new Set(answers.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
  expect(await platformKey(database.pool, keys, 'at-once', make)).toEqual(answers[0]);
});

test('purposes have different keys, and a row cannot stand for another purpose', async () => {
  const first = await platformKey(database.pool, keys, 'first', make);
  expect(await platformKey(database.pool, keys, 'second', make)).not.toEqual(first);
  await database.pool.query(
    `update platform_key set wrapped = (select wrapped from platform_key where purpose = 'first') where purpose = 'second'`,
  );
  await expect(platformKey(database.pool, keys, 'second', make)).rejects.toMatchObject({ kind: 'rejected' });
});

test('the key is not readable from the database alone', async () => {
  const key = await platformKey(database.pool, keys, 'wrapped', make);
  const { rows } = await database.pool.query<{ wrapped: Buffer }>(`select wrapped from platform_key where purpose = 'wrapped'`);
  expect(rows[0]?.wrapped.includes(Buffer.from(key))).toBe(false);
  const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-platform-keys-'));
  try {
    await expect(platformKey(database.pool, new FileKeys(elsewhere), 'wrapped', make)).rejects.toMatchObject({ kind: 'rejected' });
  } finally {
    fs.rmSync(elsewhere, { recursive: true });
  }
});
