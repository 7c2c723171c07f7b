// @long (shared process): builds and starts five programs
/** A quickstart with a database and a stream, over HTTP and with the real engines: the page of the running program shows both. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applicationDelete, applicationView } from '@slipway/contract/application.ts';
import { databaseList } from '@slipway/contract/database/database.ts';
import { pipelineRerun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { accountList } from '@slipway/contract/streaming/account.ts';
import { schemaList } from '@slipway/contract/streaming/schema.ts';
import { topicList } from '@slipway/contract/streaming/topic.ts';
import type { SourceFile } from '#ports/builder.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { crashing } from '#testing/programs.ts';
import { templateFiles } from './templates.ts';

let app: TestApp;
let replaced: readonly SourceFile[] | undefined;
beforeAll(async () => {
  app = await testApp({ templates: async (...args) => replaced ?? templateFiles(...args) });
});
afterAll(() => app?.close());

const wanted = (id: string) => ({ id, displayName: 'Yard', teamId: 'cranes', template: 'node-web', withDatabase: true, withStream: true });
const lists = { database: databaseList, schema: schemaList, topic: topicList, account: accountList };
const partsOf = async (id: string) => {
  const found: Record<string, unknown> = {};
  for (const [part, route] of Object.entries(lists)) {
    const { body } = await app.call('member', route, { params: { app: id, env: 'development' } });
    found[part] = (body as { content: { name: string; state: string }[] }).content.map(({ name, state }) => `${name} ${state}`);
  }
  return found;
};
const nothing = { database: [], schema: [], topic: [], account: [] };
const everything = { database: ['main ACTIVE'], schema: ['event ACTIVE'], topic: ['events ACTIVE'], account: ['main ACTIVE'] };

const expectConnected = async (id: string): Promise<void> => {
  const { body } = await app.call('member', serviceView, { params: { app: id, env: 'development', service: id } });
  const { url } = (body as Service).status;
  const page = async () => (await app.get(url ?? '')).text;
  await expect.poll(page, { timeout: 20_000 }).toMatch(/table entry: \d+ rows?/);
  await expect.poll(page, { timeout: 20_000 }).toMatch(new RegExp(`Topic ${id}\\.events: [1-9]\\d* messages? read`));
  expect(await page()).toContain('The service started');
};

test('gives the first revision a database and a stream, which its page shows', async () => {
  const run = await app.run('member', quickstartApplicationCreate, { body: wanted('yard') });
  expect([run.statusMessage, run.status.state]).toEqual([null, 'COMPLETED']);
  expect(run.facts).toMatchObject({ database: 'main', topic: 'events' });
  expect(await partsOf('yard')).toEqual(everything);
  await expectConnected('yard');
});

test('removes both when the program does not start, and creates them again on a re-run', async () => {
  replaced = crashing();
  const failed = await app.run('member', quickstartApplicationCreate, { body: wanted('crasher') });
  expect(failed.status.state).toBe('FAILED');
  expect(await partsOf('crasher')).toEqual(nothing);
  replaced = undefined;
  const again = await app.run('member', pipelineRerun, { params: { pipelineId: failed.pipelineId } });
  expect([again.statusMessage, again.status.state]).toEqual([null, 'COMPLETED']);
  expect(await partsOf('crasher')).toEqual(everything);
  await expectConnected('crasher');
});

test('leaves nothing when a failed app is discarded', async () => {
  replaced = crashing();
  await app.run('member', quickstartApplicationCreate, { body: wanted('discarded') });
  expect((await app.run('owner', applicationDelete, { params: { app: 'discarded' } })).status.state).toBe('COMPLETED');
  expect((await app.call('owner', applicationView, { params: { app: 'discarded' } })).status).toBe(404);
  replaced = undefined;
});

test('creates only the part that was chosen', async () => {
  const body = { ...wanted('single'), withStream: false };
  expect((await app.run('member', quickstartApplicationCreate, { body })).status.state).toBe('COMPLETED');
  expect(await partsOf('single')).toEqual({ ...nothing, database: ['main ACTIVE'] });
});

test('is refused at once if the database server has no connections left', async () => {
  await app.database.db.updateTable('database').set({ max_connections: 5000 }).execute();
  const body = { ...wanted('refused'), withStream: false };
  expect(errorsOf(await app.call('member', quickstartApplicationCreate, { body }))).toEqual([400, 'withDatabase: ConnectionsNotLeft']);
  expect((await app.call('member', applicationView, { params: { app: 'refused' } })).status).toBe(404);
});
