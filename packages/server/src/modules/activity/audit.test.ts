/** The activity log of the whole platform over HTTP: filters, pages by cursor, and the export. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityExport, activityList, type ActivityPage } from '@slipway/contract/activity.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { recordActivity, type ActivityEntry } from './activity.sql.ts';

let app: TestApp;
const entry = (change: Partial<ActivityEntry>): ActivityEntry => ({
  type: 'serviceDeploy',
  reason: 'Deployed',
  message: 'Olga deploys berth',
  actor: { id: 'olga', displayName: 'Olga Owner' },
  origin: 'console',
  outcome: 'DONE',
  ...change,
});
const subjectOf = (name: string, team: string, env: string): NonNullable<ActivityEntry['subject']> => ({
  kind: 'service',
  names: { app: name, env, service: name },
  team,
});
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  await db.deleteFrom('activity').execute();
  await recordActivity(db, entry({ subject: subjectOf('berth', 'cranes', 'production') }));
  await recordActivity(db, entry({ subject: subjectOf('yard', 'customs', 'development'), message: 'Olga deploys yard' }));
  await recordActivity(db, entry({ type: 'keyRotationCreate', message: '=Ada rotates the key', actor: { id: 'ada', displayName: 'Ada' } }));
});
afterAll(() => app?.close());

const found = async (query: Record<string, unknown>): Promise<ActivityPage> => {
  const { status, body } = await app.call('administrator', activityList, { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as ActivityPage;
};
const messages = async (query: Record<string, unknown>) => (await found(query)).content.map(({ message }) => message);

test.each([
  ['everything, newest first', {}, ['=Ada rotates the key', 'Olga deploys yard', 'Olga deploys berth']],
  ['one team', { team: 'customs' }, ['Olga deploys yard']],
  ['one environment and what has none', { env: 'production' }, ['=Ada rotates the key', 'Olga deploys berth']],
  ['who did it', { actor: 'ada' }, ['=Ada rotates the key']],
  ['the kind of write', { type: 'keyRotationCreate' }, ['=Ada rotates the key']],
  ['a part of the text', { query: 'YARD' }, ['Olga deploys yard']],
  ['a time', { from: '2099-01-01' }, []],
])('finds %s', async (_, query, expected) => {
  expect(await messages(query)).toEqual(expected);
});

test('finds what happened to an app that was deleted', async () => {
  expect(await messages({ app: 'berth' })).toEqual(['Olga deploys berth']);
  expect(await messages({ app: 'berth', actor: 'olga' })).toEqual(['Olga deploys berth']);
  expect((await found({ app: 'berth' })).facets.types).toEqual(['serviceDeploy']);
  const { body } = await app.call('administrator', activityExport, { query: { app: 'berth', format: 'csv' } });
  expect(String(body)).toContain('Olga deploys berth');
});

test('goes on at a cursor', async () => {
  const first = await found({ size: 2 });
  expect(first.next).not.toBeNull();
  expect(await messages({ size: 2, after: first.next })).toEqual(['Olga deploys berth']);
});

test('refuses another environment at its field', async () => {
  expect(errorsOf(await app.call('administrator', activityList, { query: { env: 'staging' } as never }))).toEqual([
    400,
    'env: InvalidValue',
  ]);
});

test('exports what was found, and no cell is a formula', async () => {
  const { status, body, headers } = await app.call('administrator', activityExport, { query: { actor: 'ada', format: 'csv' } });
  expect(status).toBe(200);
  expect(new Headers(headers as never).get('content-disposition')).toBe('attachment; filename="activity.csv"');
  const lines = String(body).trim().split(/\r?\n/);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`'=Ada rotates the key`);
});

test('is hidden from everybody else, also from an owner who made the entries', async () => {
  for (const actor of ['owner', 'member', 'stranger', 'serviceAccount'] as const)
    expect((await app.call(actor, activityList)).status, actor).toBe(404);
});
