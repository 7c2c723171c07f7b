/** The schema registry as a part of the platform: on its origin, behind its gate, with its API tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp } from './app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
});
afterAll(() => app.close());

const versions = '/schema-registry/development/subjects/berth.events-value/versions';
const send = async (path: string, token: string | undefined, body?: object): Promise<number> => {
  const answer = await fetch(`${app.url}${path}`, {
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
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
