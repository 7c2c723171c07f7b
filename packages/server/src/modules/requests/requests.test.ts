/** The kernel of requests on a database: each request is decided once, void requests have no effect, and each event is announced once. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { seedPeople } from '#testing/actors.ts';
import { seedApp } from '#testing/fixtures.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { assignRequest, commentRequest, remindApprovers } from './request-changes.ts';
import type { NewRequest, RequestEvent, RequestRow } from './request-kind.ts';
import { requestPage } from './request-list.ts';
import { idOf } from './request-rows.ts';
import { Requests } from './requests.ts';
import { callerOf, renameKind, renaming } from './toy-kind.fixture.ts';

let database: TestDatabase;
let events: RequestEvent[] = [];
const requests = new Requests(async (_trx, event) => {
  events.push(event);
});

const mats = callerOf('mats', ['cranes']);
const olga = callerOf('olga', ['cranes']);
const stig = callerOf('stig', ['customs']);
const ada = callerOf('ada', [], true);

beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  requests.register(renameKind);
});
afterAll(() => database?.drop());
beforeEach(async () => {
  events = [];
  await database.db.deleteFrom('request').execute();
  await database.db.updateTable('team').set({ display_name: 'Team cranes' }).where('id', '=', 'cranes').execute();
});

const raise = (wanted: NewRequest = renaming('cranes', 'Cranes'), by: Caller = mats): Promise<RequestRow> =>
  transaction(database.db, (trx) => requests.raise(trx, by, wanted));
const approve = (caller: Caller, row: RequestRow, revision?: number) =>
  requests.decide(database.db, caller, idOf(row), { status: 'APPROVED', comment: undefined, revision });
const within = <T>(work: (trx: Parameters<Parameters<typeof transaction>[1]>[0]) => Promise<T>): Promise<T> =>
  transaction(database.db, work);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error as Error)),
  );
const teamName = async () =>
  (await database.db.selectFrom('team').select('display_name').where('id', '=', 'cranes').executeTakeFirstOrThrow()).display_name;
const rowOf = (row: RequestRow) => database.db.selectFrom('request').selectAll().where('number', '=', row.number).executeTakeFirstOrThrow();

describe('deciding', () => {
  test('approval applies the change, records it, and tells the requester', async () => {
    const row = await raise();
    expect(await approve(stig, row)).toMatchObject({ status: 'APPROVED', actioned_by: 'stig' });
    expect(await teamName()).toBe('Cranes');
    const entry = await database.db.selectFrom('activity').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ type: 'requestDecide', actor_id: 'stig', after: { name: 'Cranes' } });
    expect(events).toMatchObject([
      { type: 'request.raised', people: ['stig'], actor: 'mats', context: { title: 'rename cranes to Cranes', by: 'mats' } },
      {
        type: 'request.decided',
        people: ['mats'],
        actor: 'stig',
        context: { decision: 'approved' },
        path: `/requests?request=${idOf(row)}`,
      },
    ]);
  });

  test('nobody approves an own request, even an administrator, nor one that others decide', async () => {
    const [own, foreign] = [await raise(renaming('cranes', 'A'), ada), await raise(renaming('cranes', 'B'), stig)];
    expect(await codeOf(approve(ada, own))).toBe('OwnRequest');
    expect(await codeOf(approve(stig, foreign))).toBe('OwnRequest');
    expect(await codeOf(approve(mats, own))).toBe('RequestDoesNotExist');
    const seen = await raise({ ...renaming('cranes', 'C'), askers: ['team:cranes'] }, mats);
    expect(await codeOf(approve(olga, seen))).toBe('NotADecider');
  });

  test('an effect that fails leaves the request pending', async () => {
    requests.register({ ...renameKind, kind: 'FAILING', approve: () => Promise.reject(new Problem('TeamDoesNotExist')) });
    const row = await raise({ ...renaming('cranes', 'A'), kind: 'FAILING' });
    expect(await codeOf(approve(stig, row))).toBe('TeamDoesNotExist');
    expect(await rowOf(row)).toMatchObject({ status: 'PENDING', actioned_by: null });
  });

  test('the requester raises one request of a kind for a subject, others compete', async () => {
    const row = await raise();
    const second = raise();
    await expect(second).rejects.toMatchObject({ code: 'RequestAlreadyPending', errors: [{ context: { request: idOf(row) } }] });
    await raise(renaming('cranes', 'Lifts'), olga);
  });
});

describe('void', () => {
  test('approval voids a request whose base has changed, and keeps that', async () => {
    const [first, second] = [await raise(), await raise(renaming('cranes', 'Lifts'), olga)];
    await approve(stig, first);
    expect(await codeOf(approve(stig, second))).toBe('RequestVoid');
    expect(await rowOf(second)).toMatchObject({
      status: 'WITHDRAWN',
      is_void: true,
      void_reason: 'The name is Cranes now',
      actioned_by: 'system',
    });
    expect(await teamName()).toBe('Cranes');
    expect(events.at(-1)).toMatchObject({ type: 'request.void', people: ['olga'], context: { reason: 'The name is Cranes now' } });
  });

  test('a write voids the requests that it overtakes, in its transaction', async () => {
    const [kept, overtaken] = [await raise(renaming('cranes', 'Kept')), await raise(renaming('cranes', 'Gone'), olga)];
    const of = { subjectKind: 'team', subjectIds: ['cranes'] };
    const reason = ({ number }: RequestRow) => (number === overtaken.number ? 'Overtaken' : undefined);
    const broken = within(async (trx) => {
      await requests.void(trx, of, reason);
      throw new Error('rolled back');
    });
    await expect(broken).rejects.toThrow('rolled back');
    expect(await rowOf(overtaken)).toMatchObject({ status: 'PENDING' });
    await within((trx) => requests.void(trx, of, reason));
    expect([await rowOf(kept), await rowOf(overtaken)]).toMatchObject([{ status: 'PENDING' }, { is_void: true }]);
  });

  test('a decision that is undone reopens its request, unless another one waits', async () => {
    const row = await raise();
    const of = { kind: 'RENAME', subjectKind: 'team', subjectIds: ['cranes'] };
    await within((trx) => requests.settle(trx, of, { status: 'APPROVED', by: stig }));
    await within((trx) => requests.reopen(trx, of));
    expect(await rowOf(row)).toMatchObject({ status: 'PENDING', actioned_by: null });
    await within((trx) => requests.settle(trx, of, { status: 'APPROVED', by: stig }));
    const later = await raise(renaming('cranes', 'Lifts'));
    await within((trx) => requests.reopen(trx, of));
    expect([await rowOf(row), await rowOf(later)]).toMatchObject([{ status: 'APPROVED' }, { status: 'PENDING' }]);
  });

  test('a void request is raised again on the values of today', async () => {
    const row = await raise();
    await within((trx) => requests.void(trx, { subjectKind: 'team', subjectIds: ['cranes'] }, 'Overtaken'));
    await database.db.updateTable('team').set({ display_name: 'Other' }).where('id', '=', 'cranes').execute();
    const again = await requests.raiseAgain(database.db, mats, idOf(row));
    expect(again).toMatchObject({ status: 'PENDING', base: { name: 'Other' }, comment: 'The harbour renamed it' });
    expect(await codeOf(requests.raiseAgain(database.db, mats, idOf(again)))).toBe('RequestNotRepeatable');
    expect(await codeOf(requests.raiseAgain(database.db, stig, idOf(again)))).toBe('NotTheRequester');
  });
});

describe('changing', () => {
  test('a decision on a former revision is refused', async () => {
    const row = await raise();
    const amend = (caller: Caller) => within((trx) => requests.amend(trx, caller, idOf(row), { payload: { name: 'Lifts' }, revision: 1 }));
    expect(await codeOf(amend(stig))).toBe('NotTheRequester');
    expect(await amend(mats)).toMatchObject({ revision: 2 });
    expect(await codeOf(amend(mats))).toBe('RequestChanged');
    expect(await codeOf(approve(stig, row, 1))).toBe('RequestChanged');
    await approve(stig, row, 2);
    expect(await teamName()).toBe('Lifts');
    expect(await codeOf(amend(mats))).toBe('RequestDecided');
  });

  test('nobody approves content that they wrote into the request of another', async () => {
    const row = await raise();
    const amend = (caller: Caller, amendment: object) => within((trx) => requests.amend(trx, caller, idOf(row), amendment));
    await amend(ada, { comment: 'The harbour insists' });
    expect((await requests.view(database.db, idOf(row), ada)).can.decide).toBe(true);
    await amend(ada, { payload: { name: 'Lifts' } });
    expect(await codeOf(approve(ada, row))).toBe('OwnRequest');
    const assign = within((trx) => assignRequest(requests, trx, { caller: stig, id: idOf(row) }, { assignedTo: ['ada'] }));
    expect(await codeOf(assign)).toBe('AssigneeMayNotDecide');
    // Another comment of the requester does not make it the requester's content.
    await amend(mats, { comment: 'Indeed' });
    expect(await codeOf(approve(ada, row))).toBe('OwnRequest');
    await approve(stig, row);
    expect(await teamName()).toBe('Lifts');
  });

  test('a revision between the rule and the decision counts', async () => {
    const row = await raise();
    let isAmended = false;
    requests.register({
      ...renameKind,
      kind: 'AMENDED',
      lock: async () => {
        if (isAmended) return;
        isAmended = true;
        await within((trx) => requests.amend(trx, ada, idOf(row), { payload: { name: 'Lifts' } }));
      },
    });
    await sql`update request set kind = 'AMENDED' where number = ${row.number}`.execute(database.db);
    expect(await codeOf(approve(ada, row))).toBe('OwnRequest');
    expect(await rowOf(row)).toMatchObject({ status: 'PENDING' });
  });

  test('deciders delegate to people who may decide, and news reach these alone', async () => {
    const row = await raise();
    const assign = (caller: Caller, to: string) =>
      within((trx) => assignRequest(requests, trx, { caller, id: idOf(row) }, { assignedTo: [to], comment: 'You know it better' }));
    expect(await codeOf(assign(mats, 'stig'))).toBe('NotADecider');
    for (const wrong of ['mats', 'olga', 'nobody']) expect(await codeOf(assign(stig, wrong))).toBe('AssigneeMayNotDecide');
    expect(await assign(stig, 'ada')).toMatchObject({ assigned_to: ['ada'] });
    expect(events.at(-1)).toMatchObject({ type: 'request.delegated', people: ['ada'] });
    expect((await requests.view(database.db, idOf(row), stig)).comments).toMatchObject([
      { by: { id: 'stig' }, text: 'You know it better' },
    ]);
  });

  test('a delegate who left the company or the team gets no more news, and the deciders get them instead', async () => {
    const row = await raise({ ...renaming('cranes', 'Cranes'), assignedTo: ['stig'] });
    await database.db.updateTable('request').set({ due_on: '2026-01-02' }).where('number', '=', row.number).execute();
    await database.db.insertInto('team_member').values({ team_id: 'customs', identity_id: 'olga', role: 'MEMBER' }).execute();
    const leave = (left: Date | null) => database.db.updateTable('identity').set({ left_at: left }).where('id', '=', 'stig').execute();
    await leave(new Date());
    await remindApprovers(requests, database.db);
    expect(events.at(-1)).toMatchObject({ type: 'request.due', people: expect.arrayContaining(['olga']) });
    await leave(null);
    const ofStig = database.db.deleteFrom('team_member').where('identity_id', '=', 'stig').returningAll();
    const [membership] = await ofStig.execute();
    await within((trx) => commentRequest(requests, trx, mats, idOf(row), 'Please'));
    expect(events.at(-1)).toMatchObject({ type: 'request.commented', people: ['olga'] });
    await database.db.deleteFrom('team_member').where('team_id', '=', 'customs').execute();
    if (membership) await database.db.insertInto('team_member').values(membership).execute();
  });

  test('comments reach the requester and earlier commenters, not their author', async () => {
    const row = await raise();
    await within((trx) => commentRequest(requests, trx, stig, idOf(row), 'Why?'));
    events = [];
    await within((trx) => commentRequest(requests, trx, ada, idOf(row), 'Indeed'));
    expect(events.map(({ people }) => people)).toEqual([['mats', 'stig']]);
    await within((trx) => commentRequest(requests, trx, mats, idOf(row), 'Because'));
    expect(events.at(-1)?.people).toEqual(['ada', 'stig']);
  });

  test('keys stand for the people who hold them now', async () => {
    await seedApp(database.db, { id: 'berth', team: 'cranes' });
    requests.register({ ...renameKind, kind: 'HELD', holdersOf: async (_db, key) => (key === 'role:pilot' ? ['ada'] : []) });
    expect(await requests.peopleOf(database.db, ['app:berth', 'role:pilot', 'person:stig'])).toEqual([
      'ada',
      'mats',
      'olga',
      'robot-1',
      'stig',
    ]);
    expect(await requests.peopleOf(database.db, ['role:nobody', 'team:nothing'])).toEqual([]);
  });

  test('reminds the day before the due date and once when late', async () => {
    const row = await raise();
    const dueIn = (days: number) =>
      sql`update request set due_on = current_date + ${days}::integer where number = ${row.number}`.execute(database.db);
    const reminded = () => remindApprovers(requests, database.db);
    expect(await reminded()).toBe(0);
    await dueIn(1);
    expect([await reminded(), await reminded()]).toEqual([1, 0]);
    await dueIn(-1);
    expect([await reminded(), await reminded()]).toEqual([1, 0]);
    expect(events.filter(({ type }) => type === 'request.due')).toHaveLength(2);
  });
});

test('due dates skip weekends', async () => {
  const { rows } = await sql<{ days: string[] }>`
    select array_agg(to_char(working_days_after(day::date, n), 'YYYY-MM-DD') order by day, n) as days
    from (values ('2026-11-20', 1), ('2026-11-20', 5), ('2026-11-21', 1), ('2026-11-24', 10)) as asked (day, n)`.execute(database.db);
  expect(rows[0]?.days).toEqual(['2026-11-23', '2026-11-27', '2026-11-23', '2026-12-08']);
});

describe('the inbox', () => {
  const query = { page: 0, size: 20, view: 'decide' } as const;
  const idsOf = async (caller: Caller, more: object = {}) =>
    (await requestPage(requests, database.db, { ...query, ...more }, caller)).content.map(({ title }) => title);

  test('shows what waits for the caller by due date, assigned requests first, and nothing of their own', async () => {
    const [late, own, assigned] = [
      await raise(renaming('cranes', 'late')),
      await raise(renaming('cranes', 'own'), stig),
      await raise({ ...renaming('cranes', 'assigned'), assignedTo: ['stig'] }, olga),
    ];
    await sql`update request set due_on = current_date - 3 where number = ${late.number}`.execute(database.db);
    expect(await idsOf(stig)).toEqual(['rename cranes to assigned', 'rename cranes to late']);
    expect(await idsOf(stig, { view: 'mine' })).toEqual([own.title]);
    expect(await idsOf(mats)).toEqual([]);
    expect(await idsOf(mats, { view: 'all' })).toEqual([late.title]);
    await approve(stig, assigned);
    expect(await idsOf(stig, { view: 'decided' })).toEqual([assigned.title]);
    expect(await idsOf(stig, { view: 'all', status: 'PENDING' })).toEqual([late.title, own.title]);
  });

  test('skips requests of a kind that only a later version knows', async () => {
    const row = await raise();
    await sql`update request set kind = 'LATER' where number = ${row.number}`.execute(database.db);
    expect(await idsOf(stig)).toEqual([]);
    expect(await codeOf(requests.view(database.db, idOf(row), stig))).toBe('RequestDoesNotExist');
  });
});
