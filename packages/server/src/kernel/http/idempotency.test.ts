/**
 * One write per key, even if interrupted: before its commit, between commit and response, or while another attempt takes over its claim.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { noteMade, type Made } from './write-claim.ts';

let database: TestDatabase;
let idempotency: Idempotency;
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query('create table effect (name text not null)');
  idempotency = createIdempotency(database.pool);
});
beforeEach(() => database.pool.query('truncate effect, idempotency'));
afterAll(() => database.drop());

/** Writes like a use case: the effect and its activity entry in one transaction. */
const write = (name: string, before: () => Promise<void> = async () => {}): Promise<void> =>
  transaction(database.db, async (trx) => {
    await sql`insert into effect (name) values (${name})`.execute(trx);
    await before();
    await noteMade(trx, { entry: name, pipelineId: null });
  });
const effects = async (): Promise<string[]> =>
  (await database.pool.query<{ name: string }>('select name from effect order by name')).rows.map(({ name }) => name);
const answer = (text: string) => ({ status: 202, answer: text });
const call = { identityId: 'ada', key: 'k', route: 'teamCreate', request: { id: 'a' }, isAnswerSecret: false };
const again = async (made: readonly Made[]) => answer(`again ${made.map(({ entry }) => entry).join()}`);
const first = async () => {
  await write('one');
  return answer('first');
};
const never = async () => Promise.reject(new Error('The work was done twice'));

test('a repeat is answered what the first was', async () => {
  expect(await idempotency.once(call, first, again)).toEqual(answer('first'));
  expect(await idempotency.once(call, never, never)).toEqual(answer('first'));
  expect(await effects()).toEqual(['one']);
});

test('interrupted between commit and answer, a repeat is answered from what was made', async () => {
  const interrupted = idempotency.once(call, async () => first().then(() => Promise.reject(new Error('gone'))), never);
  await expect(interrupted).rejects.toThrow('gone');
  expect(await idempotency.once(call, never, again)).toEqual(answer('again one'));
  // That answer is stored, too.
  expect(await idempotency.once(call, never, never)).toEqual(answer('again one'));
  expect(await effects()).toEqual(['one']);
});

test('so it is where the process ended there, and nobody took the claim back', async () => {
  await idempotency.once(call, first, never);
  await database.pool.query(`update idempotency set status = null, response = null, seen_at = now() - interval '10 seconds'`);
  expect(await idempotency.once(call, never, again)).toEqual(answer('again one'));
});

test('interrupted before its commit, a repeat does the work', async () => {
  const failed = idempotency.once(call, () => write('lost', () => Promise.reject(new Error('gone'))).then(() => answer('')), never);
  await expect(failed).rejects.toThrow('gone');
  expect(await idempotency.once(call, first, never)).toEqual(answer('first'));
  expect(await effects()).toEqual(['one']);
});

test('an attempt that lost its claim cannot commit, and answers what the other did', async () => {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const slow = idempotency.once(
    call,
    async () => {
      await write('slow', () => {
        reached.resolve();
        return held.promise;
      });
      return answer('slow');
    },
    never,
  );
  await reached.promise;
  // Simulates a long time without heartbeats.
  await database.pool.query(`update idempotency set seen_at = '-infinity'`);
  expect(await idempotency.once(call, first, never)).toEqual(answer('first'));
  held.resolve();
  expect(await slow).toEqual(answer('first'));
  expect(await effects()).toEqual(['one']);
});

test('many at once do the work once', async () => {
  const slowly = async () => {
    await write('one');
    return answer('first');
  };
  const answers = await Promise.all(Array.from({ length: 5 }, () => idempotency.once(call, slowly, again)));
  expect(new Set(answers.map((one) => one.answer))).toEqual(new Set(['first']));
  expect(await effects()).toEqual(['one']);
});

test('an attempt that works says so, and is not taken for one that ended', async () => {
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = idempotency.once(call, () => (begun.resolve(), held.promise.then(first)), never);
  await begun.promise;
  const seen = async () =>
    (await database.pool.query<{ late: boolean }>('select seen_at > created_at as late from idempotency')).rows[0]?.late;
  await expect.poll(seen, { timeout: 10_000 }).toBe(true);
  held.resolve();
  expect(await slow).toEqual(answer('first'));
});

test('a key is one request’s', async () => {
  await idempotency.once(call, first, never);
  const other = idempotency.once({ ...call, request: { id: 'b' } }, never, never);
  await expect(other).rejects.toThrow(expect.objectContaining({ code: 'IdempotencyKeyReused' }));
});

test('of a secret answer nothing is kept: each repeat is answered from what was made', async () => {
  const secret = { ...call, isAnswerSecret: true };
  expect(await idempotency.once(secret, first, never)).toEqual(answer('first'));
  expect(await idempotency.once(secret, never, again)).toEqual(answer('again one'));
  expect(await idempotency.once(secret, never, again)).toEqual(answer('again one'));
  const { rows } = await database.pool.query('select status, response from idempotency');
  expect(rows).toEqual([{ status: null, response: null }]);
});

test('what goes on after the answer is not the request’s', async () => {
  const later = Promise.withResolvers<void>();
  let background = Promise.resolve();
  await idempotency.once(
    call,
    async () => {
      background = later.promise.then(() => write('background'));
      return first();
    },
    never,
  );
  later.resolve();
  await background;
  const { rows } = await database.pool.query<{ made: Made[] }>('select made from idempotency');
  expect(rows[0]?.made).toEqual([{ entry: 'one', pipelineId: null }]);
});
