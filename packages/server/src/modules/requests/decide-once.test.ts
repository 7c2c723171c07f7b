/** Ten approvers decide a thousand requests at the same time. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '#kernel/http/handle.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { Problem } from '#kernel/problem.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import type { RequestRow } from './request-kind.ts';
import { idOf } from './request-rows.ts';
import { Requests } from './requests.ts';
import { callerOf, renameKind } from './toy-kind.fixture.ts';

let database: TestDatabase;
const requests = new Requests();

beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await sql`create table effect (request bigint not null)`.execute(database.db);
  requests.register({
    ...renameKind,
    kind: 'COUNTED',
    lock: async () => {},
    voidReason: async () => undefined,
    approve: async ({ trx, row }) => {
      await sql`insert into effect (request) values (${row.number})`.execute(trx);
    },
  });
});
afterAll(() => database?.drop());

const codeOf = async (caller: Caller, row: RequestRow): Promise<string> => {
  try {
    await requests.decide(database.db, caller, idOf(row), { status: 'APPROVED' });
    return 'done';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
};

test('each request is decided exactly once', { timeout: 300_000 }, async () => {
  const { rows: pending } = await sql<RequestRow>`
    insert into request (kind, subject_kind, subject_id, title, requested_by, requested_by_name, deciders, askers, payload, due_on)
    select 'COUNTED', 'team', 'team-' || i, 'count', 'mats', 'Mats', '{team:customs}', '{person:mats}', '{"name":"x"}', current_date
    from generate_series(1, 1000) i returning *`.execute(database.db);
  const codes = new Map<string, number>();
  // Each begins elsewhere, so that they meet at every request.
  const approvers = Array.from({ length: 10 }, (_, index) => ({
    caller: callerOf(`approver-${index}`, ['customs']),
    own: [...pending.slice(index * 100), ...pending.slice(0, index * 100)],
  }));
  await mapLimited(
    approvers,
    async ({ caller, own }) => {
      for (const row of own) {
        const code = await codeOf(caller, row);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    },
    approvers.length,
  );
  expect(Object.fromEntries(codes)).toEqual({ done: 1000, RequestDecided: 9000 });
  const { rows } = await sql<{ all: number; different: number }>`
    select count(*)::integer as all, count(distinct request)::integer as different from effect`.execute(database.db);
  expect(rows).toEqual([{ all: 1000, different: 1000 }]);
  const entries = await database.db.selectFrom('activity').select('id').where('type', '=', 'requestDecide').execute();
  expect(entries).toHaveLength(1000);
});
