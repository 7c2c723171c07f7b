// `_catalog` over HTTP: what a caller gets, page by page, with the credentials and tokens that clients bring.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RegistrySubject } from '../sign-in/accounts.ts';
import { startRegistry, type RegistryFixture } from '../registry.fixture.ts';

const person: RegistrySubject = { name: 'ingrid', actions: async (project) => (project === 'shop' ? ['pull', 'push', 'delete'] : []) };

let fixture: RegistryFixture;
beforeAll(async () => {
  fixture = await startRegistry({
    authenticate: async (_username, password) => (password === 'right' ? person : undefined),
    findSubject: async (name) => (name === 'ingrid' ? person : undefined),
  });
  for (const [project, names] of Object.entries({ shop: ['api', 'web'], bank: ['vault'], open: ['base'] })) {
    const client = await fixture.client(project);
    for (const name of names) await client.pushImage(`${project}/${name}`, '1', name);
  }
  await fixture.registry.projectPublish('open', true);
});
afterAll(() => fixture.stop());

const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const ask = async (headers: Record<string, string>, query = '') => {
  const response = await fetch(`${fixture.registry.baseUrl}/v2/_catalog${query}`, { headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as { repositories?: string[] } };
};
const bearer = async (credentials: Record<string, string>) => {
  const response = await fetch(`${fixture.registry.baseUrl}/v2/token?scope=registry:catalog:*`, { headers: credentials });
  return { authorization: `Bearer ${((await response.json()) as { token: string }).token}` };
};

test('nobody gets an answer without credentials, and clients learn which scope to ask for', async () => {
  const { status, headers } = await ask({});
  expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('scope="registry:catalog:*"')]);
  expect((await ask(basic('any', 'wrong'))).status).toBe(401);
});

test('a person and a robot learn what they may pull, by password and by token alike', async () => {
  const robot = await fixture.registry.robotEnsure('bank', 'reader', ['pull']);
  const pusher = await fixture.registry.robotEnsure('bank', 'pusher', ['push']);
  for (const [credentials, expected] of [
    [basic('any', 'right'), ['open/base', 'shop/api', 'shop/web']],
    [basic(robot.username, robot.secret), ['bank/vault', 'open/base']],
    [basic(pusher.username, pusher.secret), ['open/base']],
  ] as const) {
    expect((await ask(credentials)).body.repositories).toEqual(expected);
    expect((await ask(await bearer(credentials))).body.repositories).toEqual(expected);
  }
  const removed = await bearer(basic(robot.username, robot.secret));
  await fixture.registry.robotDelete('bank', 'reader');
  expect((await ask(removed)).body.repositories).toEqual(['open/base']);
});

test('comes in pages, each with the way to the next', async () => {
  const credentials = basic('any', 'right');
  const first = await ask(credentials, '?n=2');
  expect(first.body.repositories).toEqual(['open/base', 'shop/api']);
  expect(first.headers.get('link')).toBe('</v2/_catalog?n=2&last=shop/api>; rel="next"');
  const second = await ask(credentials, '?n=2&last=shop/api');
  expect([second.body.repositories, second.headers.get('link')]).toEqual([['shop/web'], null]);
  expect((await ask(credentials, '?n=0')).body.repositories).toEqual([]);
  for (const wrong of ['?n=many', '?last=../x']) expect((await ask(credentials, wrong)).status).toBe(400);
});
