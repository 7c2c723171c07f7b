/** Filters of the log and its export: both return the same entries, complete, in order, and safe for spreadsheets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appKind } from '@slipway/contract/kinds/application.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { appActivityExport, appActivityList, type Activity, type ActivityPage } from '@slipway/contract/activity.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { people } from '#testing/actors.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { seedApp } from '#testing/fixtures.ts';
import { csvField } from '#kernel/csv.ts';
import { activities } from './activity-export.ts';
import { recordActivity } from './index.ts';

let app: TestApp;
const ODD = '=HYPERLINK("http://x","y"), or\nnot';
/** Entries with the same timestamp, which pages must not lose. */
const MANY = 2500;

const ofApp = (env: string) => subjectOf(appKind, { app: 'berth', env }, { team: 'cranes' });
const record = (entry: {
  service?: string;
  level?: Activity['level'];
  reason?: string;
  actor?: 'owner' | 'member';
  message: string;
  env?: string;
}) => {
  const { service, level = 'INFO', reason = 'Updated', actor = 'owner', message, env = 'development' } = entry;
  const { id, name: displayName } = people[actor];
  return recordActivity(app.database.db, {
    type: 'serviceUpdate',
    reason,
    level,
    message,
    actor: { id, displayName },
    origin: 'console',
    outcome: 'DONE',
    subject: service === undefined ? ofApp(env) : subjectNamed(`service:berth/${env}/${service}`, 'cranes'),
    before: { count: 1 },
    after: { count: 2 },
  });
};

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db, pool } = app.database;
  for (const id of ['berth', 'quay']) await seedApp(db, { id });
  await pool.query(
    `insert into activity (id, at, type, reason, level, message, actor_id, actor_name, origin, outcome, app_id, environment)
     select 'q' || lpad(n::text, 5, '0'), now(), 'push', 'Pushed', 'INFO', 'No. ' || n, 'git', 'git', 'platform', 'DONE', 'quay', 'development'
     from generate_series(1, $1) n`,
    [MANY],
  );
  await record({ message: 'scaled berth-api', service: 'berth-api' });
  await record({ message: ODD, service: 'berth', actor: 'member', level: 'WARNING', reason: 'Odd' });
  await record({ message: 'lost a crane', level: 'ERROR', env: 'production' });
});
afterAll(() => app?.close());

const params = { app: 'berth', env: 'development' };
const list = async (query: object = {}, of = params) =>
  (await app.call('member', appActivityList, { params: of, query: { ...query } })).body as ActivityPage;
const file = async (query: object, of = params) => app.call('member', appActivityExport, { params: of, query: { ...query } });
const messages = ({ content }: ActivityPage) => content.map(({ message }) => message);

describe.each([
  ['a service', { service: 'berth-api' }, ['scaled berth-api']],
  ['a subject', { subject: 'service:berth/development/berth' }, [ODD]],
  ['what it lies in', { subject: 'app:berth' }, [ODD, 'scaled berth-api']],
  ['a level', { level: 'WARNING' }, [ODD]],
  ['an actor', { actor: people.member.id }, [ODD]],
  ['a reason', { reason: 'Odd' }, [ODD]],
  ['a word', { query: 'SCALED' }, ['scaled berth-api']],
  ['a type that is not there', { type: 'push' }, []],
  ['the past', { to: '2020-01-01' }, []],
  ['all of it', { from: '2020-01-01', to: '2999-01-01T00:00:00Z' }, [ODD, 'scaled berth-api']],
])('filtered by %s', (_name, query, expected) => {
  test('list and export agree', async () => {
    expect(messages(await list(query))).toEqual(expected);
    const { body } = await file({ ...query, format: 'json' });
    expect(
      String(body)
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as Activity).message),
    ).toEqual(expected);
  });
});

test('the choices do not depend on what is chosen', async () => {
  const { facets } = await list({ level: 'ERROR' });
  expect(facets).toEqual({
    types: ['serviceUpdate'],
    reasons: ['Odd', 'Updated'],
    actors: expect.arrayContaining([{ id: 'olga', displayName: 'Olga Owner' }]) as unknown,
    subjects: ['berth', 'berth-api'].map((service) => ({
      kind: 'service',
      name: service,
      key: `service:berth/development/${service}`,
      names: { app: 'berth', env: 'development', service },
    })),
  });
});

test.each([
  ['a level', { level: 'LOUD' }, [400, 'level: InvalidValue']],
  ['an instant', { from: 'yesterday-ish' }, [400, 'from: InvalidValue']],
  ['an instant before all time', { to: '-200000-01-01T00:00:00Z' }, [400, 'to: InvalidValue']],
  ['a subject', { subject: 'service:berth' }, [400, 'subject: InvalidValue']],
  ['a kind', { subject: 'barge:berth' }, [400, 'subject: InvalidValue']],
  ['a format', { format: 'xlsx' }, [400, 'format: InvalidValue']],
])('refuses %s that is none', async (_name, query, errors) => {
  expect(errorsOf(await file(query))).toEqual(errors);
});

test('CSV has a header, quotes what needs it, and disarms formulas', async () => {
  const answer = await file({});
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="activity-berth-development.csv"');
  const text = String(answer.body);
  const [header] = text.split('\r\n');
  expect(header).toBe(
    'at,type,reason,level,outcome,message,actor,actorId,origin,team,app,environment,service,pipelineId,before,after,subject,traceId',
  );
  expect(text).toContain(`,"'=HYPERLINK(""http://x"",""y""), or\nnot",Mats Member,mats,`);
  expect(text).toContain(',"{""count"":1}","{""count"":2}",service:berth/development/berth,\r\n');
});

test.each([
  ['plain', 'plain'],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  [' padded', '" padded"'],
])('the field %j becomes %j', (value, expected) => {
  expect(csvField(value)).toBe(expected);
});

test('a long log comes whole and in order, also where a thousand entries share an instant', async () => {
  const { body } = await file({ format: 'json' }, { app: 'quay', env: 'development' });
  const ids = String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as Activity).id);
  expect(ids).toEqual(Array.from({ length: MANY }, (_, index) => `q${String(MANY - index).padStart(5, '0')}`));
  let count = 0;
  for await (const page of activities(app.database.db, { app: 'quay', env: 'development' }, 1500)) count += page.length;
  expect(count).toBe(1500);
});
