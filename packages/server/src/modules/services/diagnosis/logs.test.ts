/** Revision logs over HTTP: as text, as a live stream, and only for members. */
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from '@slipway/contract/kernel/kernel.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionInstances, revisionLogs, type Instance } from '@slipway/contract/service/revision.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { goodMain, good } from '#testing/programs.ts';

let app: TestApp;
const params = { app: 'berth', env: 'development', service: 'berth', revision: 'berth-1' };
const talkative = goodMain('one').replace(
  "if (request.url === '/env')",
  "console.log('asked for', request.url);\n  if (request.url === '/die') process.exit(1);\n  if (request.url === '/env')",
);

beforeAll(async () => {
  const files = good('one').map((file) => (file.path === 'main.js' ? { ...file, content: Buffer.from(talkative) } : file));
  app = await testApp({ templates: async () => files });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
});
afterAll(() => app?.close());

test('are text, the last lines first asked for', async () => {
  const answer = await app.call('member', revisionLogs, { params });
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.body).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z berth-1-\w+ stdout listening as one\n/);
  const last = (await app.call('member', revisionLogs, { params, query: { tail: 1 } })).body as string;
  expect(last.trimEnd().split('\n')).toHaveLength(1);
});

test("of another app are not reached by way of one's own", async () => {
  const { db } = app.database;
  await seedApp(db, { id: 'quay', team: 'customs' });
  const serviceId = await seedService(db, { app: 'quay' });
  await seedRevision(db, { serviceId, service: 'quay', number: 1, createdAt: new Date(0) });
  const own = { app: 'quay', env: 'development', service: 'quay', revision: 'quay-1' };
  const idOf = async () =>
    ((await app.call('stranger', revisionInstances, { params })).body as { instances: Instance[] }).instances[0]?.id ?? '';
  const theirs = await app.call('member', revisionLogs, { params, query: { instance: await idOf() } });
  expect(theirs.body).toContain('listening as one');
  const instance = `../../../../berth/development/berth/berth-1/${await idOf()}`;
  const answer = await app.call('stranger', revisionLogs, { params: own, query: { instance } });
  expect([answer.status, answer.body]).toEqual([200, '']);
});

test('go on with what is written later, and end with the reader', async () => {
  const { url } = ((await app.call('member', serviceView, { params })).body as Service).status;
  const headers = { authorization: `Bearer ${await app.signIn.token('member')}` };
  let text = '';
  const request = http.get(`${app.url}${pathOf(revisionLogs, params)}?follow=true&tail=1`, { headers, agent: false });
  request.on('response', (answer) => answer.setEncoding('utf8').on('data', (part: string) => (text += part)));
  request.on('error', () => {});
  await expect.poll(() => text).toContain('data: ');
  await app.get(`${url ?? ''}later`);
  await expect.poll(() => text).toContain('asked for /later');
  const event = text.split('\n').find((line) => line.includes('/later')) ?? '';
  expect(JSON.parse(event.replace('data: ', ''))).toMatchObject({
    stream: 'stdout',
    line: 'asked for /later',
    number: expect.any(Number) as unknown,
  });
  request.destroy();
});

test('do not hold up the end of the program while somebody follows', async () => {
  const headers = { authorization: `Bearer ${await app.signIn.token('member')}` };
  const request = http.get(`${app.url}${pathOf(revisionLogs, params)}?follow=true`, { headers, agent: false });
  request.on('error', () => {});
  const ended = new Promise((resolve) => request.on('response', (answer) => answer.resume().on('close', resolve)));
  await new Promise((resolve) => request.once('response', resolve));
  await app.restart();
  await ended;
});

test('are nothing for others', async () => {
  expect((await app.call('stranger', revisionLogs, { params })).status).toBe(404);
});

test('of the run before the last restart can be read alone', async () => {
  const { url } = ((await app.call('member', serviceView, { params })).body as Service).status;
  const previous = async () => (await app.call('member', revisionLogs, { params, query: { previous: true, follow: true } })).body as string;
  const served = () => expect.poll(() => app.get(url ?? '').catch(() => ({ status: 0 }))).toMatchObject({ status: 200 });
  await served();
  expect(await previous()).toBe('');
  await app.get(`${url ?? ''}before`);
  await app.get(`${url ?? ''}die`).catch(() => undefined);
  await expect.poll(previous).toContain('asked for /before');
  await served();
  await app.get(`${url ?? ''}after`);
  expect(await previous()).not.toContain('asked for /after');
  expect(await previous()).not.toContain('started again');
});
