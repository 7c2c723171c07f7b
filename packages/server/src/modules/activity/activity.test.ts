/** Access to the activity log. An app's log begins with the app. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appActivityList, teamActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { people, type Actor } from '#testing/actors.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { seedApp } from '#testing/fixtures.ts';
import { recordActivity } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
});
afterAll(() => app?.close());

const record = (actor: 'owner' | 'stranger', message: string) =>
  recordActivity(app.database.db, {
    type: 'appUpdate',
    reason: 'Updated',
    message,
    actor: { id: people[actor].id, displayName: people[actor].name },
    origin: 'console',
    outcome: 'DONE',
    subject: subjectNamed('app:berth', people[actor].team),
  });
const messages = async (actor: Actor, of: 'app' | 'team') => {
  const route = of === 'app' ? appActivityList : teamActivityList;
  const params: Record<string, string> = of === 'app' ? { app: 'berth', env: 'development' } : { team: 'cranes' };
  return ((await app.call(actor, route, { params })).body as Page<Activity>).content.map(({ message }) => message);
};

test('who takes up the id of a deleted app does not inherit its log', async () => {
  await seedApp(app.database.db, { id: 'berth', team: 'cranes' });
  await record('owner', 'an action of the cranes');
  expect(await messages('member', 'app')).toEqual(['an action of the cranes']);
  await app.database.db.deleteFrom('app').where('id', '=', 'berth').execute();
  await seedApp(app.database.db, { id: 'berth', team: 'customs' });
  await record('stranger', 'an action of the customs');
  expect(await messages('stranger', 'app')).toEqual(['an action of the customs']);
  expect(await messages('member', 'team')).toEqual(['an action of the cranes']);
});
