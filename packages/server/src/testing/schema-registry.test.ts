/** The schema registry as a part of the platform: on its origin, behind its gate, with its API tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { testApp, type TestApp } from './app.ts';
import { seedApp } from './fixtures.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app.close());

const versions = '/schema-registry/development/subjects/berth.events-value/versions';
const send = async (path: string, token: string | undefined, body?: object, method = 'POST'): Promise<number> => {
  const answer = await fetch(`${app.url}${path}`, {
    ...(body ? { method, body: JSON.stringify(body) } : {}),
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
  });
  await answer.arrayBuffer();
  return answer.status;
};

test('definitions are for everybody who is known; an administrator alone writes there, with a token that may', async () => {
  const [reader, git, member, administrator, careful] = [
    await app.apiToken('stranger', ['read']),
    await app.apiToken('stranger', ['git']),
    await app.apiToken('owner', ['read', 'write']),
    await app.apiToken('administrator', ['read', 'write']),
    await app.apiToken('administrator', ['read']),
  ];
  const schema = { schema: '"string"' };
  expect(await send(versions, undefined)).toBe(401);
  expect(await send(versions, git)).toBe(401);
  expect(await send(versions, reader)).toBe(404);
  for (const token of [reader, member, careful]) expect(await send(versions, token, schema)).toBe(403);
  expect(await send(versions, administrator, schema)).toBe(200);
  expect(await send(versions, reader)).toBe(200);
  expect(await app.adapters.schemaRegistry.versions('development', 'berth.events-value')).toEqual([1]);
  expect(app.adapters.schemaRegistry.info('development').url).toBe(`${app.url}/schema-registry/development`);
});

test('a body that is too large is answered, through the gate', async () => {
  const administrator = await app.apiToken('administrator', ['read', 'write']);
  expect(await send(versions, administrator, { schema: `"${' '.repeat(4 << 20)}"` })).toBe(413);
  // Who is not known is refused before the body is read.
  expect(await send(versions, undefined, { schema: `"${' '.repeat(4 << 20)}"` })).toBe(401);
});

test('a subject that an administrator made read-only fails the pipeline of its schema, which says so', async () => {
  const administrator = await app.apiToken('administrator', ['read', 'write']);
  expect(await send('/schema-registry/development/mode/berth.closed', administrator, { mode: 'READONLY' }, 'PUT')).toBe(200);
  const body = { name: 'closed', content: JSON.stringify({ type: 'record', name: 'Closed', fields: [] }) };
  const { status } = await app.run('member', schemaCreate, { params: { app: 'berth', env: 'development' }, body });
  expect(status).toMatchObject({ state: 'FAILED' });
  const reason = 'Subject berth.closed is in read-only mode';
  expect(status.steps.find(({ state }) => state === 'FAILED')?.message).toEqual({ code: 'SchemaRegistryRefused', context: { reason } });
});
