// @long: waits for limits, or starts programs
/** The database goes away in the middle of a call that carries a key: the repeat gets an answer as soon as it is back. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '#db/database.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import { migrate } from '#db/migrator.ts';
import { createIdempotency } from '#kernel/http/idempotency.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let directory: string;
let postgres: EmbeddedPostgres;
let database: Database;

const start = async (): Promise<void> => {
  postgres = await startEmbeddedPostgres({ dataDir: directory, log: silent, isDurable: false });
};

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-key-'));
  fs.chmodSync(directory, 0o711);
  await start();
  await migrate(postgres.connection, { log: silent });
  database = openDatabase(postgres.connection);
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
  fs.rmSync(directory, { recursive: true, force: true });
});

test('the claim of a call that failed is taken back', async () => {
  const { once } = createIdempotency(database.pool);
  const call = { identityId: 'ada', key: 'k', route: 'teamCreate', request: {}, isAnswerSecret: false };
  const never = () => Promise.reject(new Error('Nothing was made'));
  const failed = once(
    call,
    async () => {
      await postgres.stop();
      await database.pool.query('select 1');
      return { status: 202, answer: 'first' };
    },
    never,
  );
  await expect(failed).rejects.toThrow();
  await start();
  expect(await once(call, async () => ({ status: 202, answer: 'second' }), never)).toEqual({ status: 202, answer: 'second' });
});
