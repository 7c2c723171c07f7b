/** Requests that no route is for: methods, addresses, headers and values of every odd kind are the caller's mistake, never a failure of ours. */
import { METHODS } from 'node:http';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { routes } from '@slipway/contract/routes.ts';
import { secretGroupCreate } from '@slipway/contract/secret/secret-group.ts';
import { pino } from 'pino';
import { testApp, type TestApp } from '../app.ts';
import { seedApp, seedService } from '../fixtures.ts';
import { codesIn, exchange, head, type RawAnswer } from '../raw-http.ts';

let app: TestApp;
let logged = '';
let token = '';
beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  app = await testApp({ isWorker: false, log: pino({ level: 'warn' }, sink) });
  await seedApp(app.database.db, { id: 'berth' });
  await seedService(app.database.db, { app: 'berth' });
  token = await app.signIn.token('owner');
});
afterAll(() => app?.close());
beforeEach(() => {
  logged = '';
});

const ask = (line: string, headers: Readonly<Record<string, string>> = {}, body = ''): Promise<RawAnswer> =>
  exchange(
    app.url,
    `${head(app.url, line, {
      authorization: `Bearer ${token}`,
      connection: 'close',
      ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    })}${body}`,
  );

const paths = Map.groupBy(routes, ({ path }) => path);
const example = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ({ app: 'berth', env: 'development', team: 'cranes', service: 'berth' })[name] ?? 'x');
const strange = ['QUERY', 'PROPFIND', 'TRACE', 'OPTIONS', 'MKCOL', 'SEARCH', 'M-SEARCH', 'SOURCE', 'PURGE', 'FOO', 'get', 'G!T'];

describe('a method that a path does not take', () => {
  test.each(strange)('%s is refused on every path of the contract, with those that it takes', async (method) => {
    for (const [path, at] of paths) {
      const answer = await ask(`${method} ${example(path)}`);
      expect([path, answer.status, codesIn(answer)]).toEqual([path, 405, ['MethodNotAllowed']]);
      const allowed = (answer.headers.get('allow') ?? '').split(', ');
      expect(allowed).toEqual(expect.arrayContaining(at.map((route) => route.method)));
    }
    expect(logged).toBe('');
  });

  test.each(strange)('%s finds nothing where nothing is', async (method) => {
    for (const path of ['/nowhere', '/api/v1/nowhere', '/api/v1/apps/berth/', '/assets/x.js']) {
      const answer = await ask(`${method} ${path}`);
      expect([path, answer.status, codesIn(answer)]).toEqual([path, 404, ['MISSING_RESOURCE']]);
    }
    expect(logged).toBe('');
  });

  test('is refused with and without a body, whatever its type', async () => {
    for (const type of ['application/json', 'application/yaml', 'text/html', 'a;b=c;=', '']) {
      const answer = await ask('QUERY /healthz', { 'content-type': type }, '{"a":1}');
      expect([type, answer.status]).toEqual([type, 405]);
    }
    expect(logged).toBe('');
  });

  test('is never an error of the server, whichever Node knows', async () => {
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      for (const path of ['/', '/healthz', '/openapi.json', '/nowhere', '/v2/', '/git/berth/berth.git/info/refs'])
        expect([method, path, (await ask(`${method} ${path}`)).status < 500]).toEqual([method, path, true]);
    }
    expect(logged).toBe('');
  });
});

test('what is no request at all is refused in the one shape of errors', async () => {
  const answers = await Promise.all(
    [
      'nonsense\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\u0000\u0001\u0002\r\n\r\n',
      'FOO http://elsewhere/ HTTP/1.1\r\n\r\n',
    ].map((bytes) => exchange(app.url, bytes)),
  );
  for (const answer of answers) expect([answer.status, codesIn(answer)]).toEqual([400, ['RequestInvalid']]);
  const large = await ask('GET /healthz', { 'x-large': 'x'.repeat(100_000) });
  expect([large.status, codesIn(large)]).toEqual([431, ['HeadersTooLarge']]);
  expect(logged).toBe('');
});

const services = '/api/v1/apps/berth/development/services';
const fieldsIn = ({ text }: RawAnswer): (string | undefined)[] => (JSON.parse(text) as ErrorObject).errors.map(({ field }) => field);

describe('odd values', () => {
  test.each(['%00', '%ff', '%', '%zz', '%ed%a0%80', '%F0%9F%98%80', '..%2f..', '%2e%2e', "'--", '99999999999999999999', '__proto__'])(
    '%s as a name finds nothing',
    (name) => findsNothing(name),
  );
  test.each([101, 300, 301, 5000])('a name of %i letters finds nothing', (length) => findsNothing('x'.repeat(length)));

  const findsNothing = async (name: string): Promise<void> => {
    const templates = routes.filter(({ path, method }) => path.includes('{') && method === 'GET').map(({ path }) => path);
    for (const path of new Set(templates)) {
      const at = path.lastIndexOf('{');
      const asked = `${example(path.slice(0, at))}${name}${example(path.slice(path.indexOf('}', at) + 1))}`;
      const { status } = await ask(`GET ${asked}`);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
    expect(logged).toBe('');
  };

  test('in a query are refused with the field', async () => {
    for (const page of ['2147483648', '9223372036854775808', '9007199254740991', '1e400', '-1', 'NaN', '0x10', '1&page=2', '%00']) {
      const answer = await ask(`GET ${services}?page=${page}`);
      expect([page, [200, 400].includes(answer.status)]).toEqual([page, true]);
      if (answer.status === 400) expect([page, fieldsIn(answer)]).toEqual([page, ['page']]);
    }
    for (const query of ['%00', '%ed%a0%80', '%', '%E0%A4', 'a&query=b']) {
      const answer = await ask(`GET ${services}?query=${query}`);
      expect([query, [200, 400].includes(answer.status)]).toEqual([query, true]);
    }
    expect(fieldsIn(await ask(`GET ${services}?query=%00`))).toEqual(['query']);
    expect(logged).toBe('');
  });

  test.each([
    ['a NUL', '{"id":"berth","displayName":"\\u0000","teamId":"cranes"}', 'displayName'],
    ['half a character', '{"id":"berth","displayName":"\\ud800","teamId":"cranes"}', 'displayName'],
  ])('in a body, such as %s, are refused with the field', async (_name, body, field) => {
    const answer = await ask('POST /api/team-service/applications/v2', { 'content-type': 'application/json' }, body);
    expect([answer.status, codesIn(answer), fieldsIn(answer)]).toEqual([400, ['BodyInvalid'], [field]]);
  });

  test('such as days that no database keeps are refused with the field', async () => {
    const group = { name: 'partner', entries: [{ key: 'PASSWORD', value: 'planted' }] };
    const params = { app: 'berth', env: 'development' };
    expect((await app.call('owner', secretGroupCreate, { params, body: group })).status).toBe(201);
    const path = '/api/v1/apps/berth/development/secret-groups/partner/keys/PASSWORD/expiry';
    for (const day of ['0000-01-01', '0001-01-01', '1969-12-31', '2026-02-30', '2026-11-31']) {
      const answer = await ask(`PUT ${path}`, { 'content-type': 'application/json' }, JSON.stringify({ expiresAt: day }));
      expect([day, answer.status, fieldsIn(answer)]).toEqual([day, 400, ['expiresAt']]);
    }
    expect(logged).toBe('');
  });

  test('as a content type are refused', async () => {
    for (const type of ['', 'x', ';', 'application/json/json', 'application/x-www-form-urlencoded', 'multipart/form-data', '\u0080']) {
      const answer = await ask('POST /api/team-service/applications/v2', { 'content-type': type }, '{}');
      expect([type, answer.status]).toEqual([type, 400]);
    }
    expect(logged).toBe('');
  });
});
