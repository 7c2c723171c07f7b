import { applicationCreate, applicationMacIdSet, applicationView, applicationSummaryList } from '@slipway/contract/application.ts';
import { catalogApplicationPatch } from '@slipway/contract/catalog/application.ts';
import { meTokenDelete, userSearch } from '@slipway/contract/identity.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signInTo } from '../../testing/browser-globals.ts';
import { json, startServer, type Asked, type TestServer } from '../../testing/http-server.ts';
import { call, setExtraHeaders, urlOf } from './call.ts';
import { runtimeConfig, setRuntimeConfig } from './runtime-config.ts';
import { FetchError, hasCode, RequiredError, ResponseError } from './errors.ts';

let server: TestServer;
let answer: (asked: Asked, response: ServerResponse) => void;
beforeAll(async () => {
  server = await startServer((asked, response) => answer(asked, response));
});
afterAll(() => server.close());
beforeEach(async () => {
  server.asked.length = 0;
  await signInTo(server.origin);
});

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a read carries the token and no key; the base that ends in the path’s prefix counts once', async () => {
  answer = (_, response) => json(response, 200, { id: 'berth' });
  expect(await call(applicationView, { params: { app: 'berth' } })).toEqual({ id: 'berth' });
  const [asked] = server.asked;
  expect(asked).toMatchObject({ method: 'GET', path: '/api/team-service/applications/v1/berth' });
  expect(asked?.headers['authorization']).toBe('Bearer token-1');
  expect(asked?.headers['idempotency-key']).toBeUndefined();
});

test('lists in a query are repeated parameters', () => {
  const url = urlOf(applicationSummaryList, { query: { team: ['a', 'b'], query: '', mine: 'true' } });
  expect(url).toBe(`${server.origin}/api/v1/apps?team=a&team=b&mine=true`);
});

test('a write carries JSON and a key of its own, or the one that is given', async () => {
  answer = (_, response) => json(response, 202, {});
  const body = { id: 'cranes', displayName: 'Cranes', ownerIds: ['ingrid'] };
  await call(teamCreate, { body });
  await call(teamCreate, { body });
  await call(teamCreate, { body }, { idempotencyKey: 'mine' });
  const keys = server.asked.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('mine');
  expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual(body);
});

test('a PATCH carries a merge patch', async () => {
  answer = (_, response) => json(response, 200, {});
  await call(applicationMacIdSet, { params: { app: 'berth' }, body: { macId: 'MAC-1' } });
  expect(server.asked[0]?.headers['content-type']).toBe('application/merge-patch+json');
});

test('204 is undefined', async () => {
  answer = (_, response) => response.writeHead(204).end();
  expect(await call(meTokenDelete, { params: { tokenId: 't' } })).toBeUndefined();
});

test('an answer that is not 2xx is a ResponseError with the error object', async () => {
  answer = (_, response) =>
    json(response, 404, { status: 404, title: 'No app', traceId: 'abc', errors: [{ code: 'ApplicationDoesNotExists' }] });
  const error = await failure(call(applicationView, { params: { app: 'x' } }));
  expect(error).toBeInstanceOf(ResponseError);
  expect(error).toMatchObject({ status: 404, traceId: 'abc', message: 'Response returned an error code', cause: 'No app' });
  expect(hasCode(error, 'ApplicationDoesNotExists')).toBe(true);
});

test('an answer of something in between has no error object', async () => {
  answer = (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  const error = await failure(call(applicationView, { params: { app: 'x' } }));
  expect(error).toMatchObject({ status: 502, problem: undefined, errors: [] });
});

test('a missing parameter is a RequiredError, and nothing is sent', async () => {
  const required = async (sending: Promise<unknown>) => {
    const error = await failure(sending);
    expect(error).toBeInstanceOf(RequiredError);
    return (error as RequiredError).message;
  };
  const of = (name: string) => `Required parameter ${name} was null or undefined`;
  expect(await required(call(applicationView, { params: { app: '' } }))).toBe(of('app'));
  expect(await required(call(userSearch, { query: {} as never }))).toBe(of('query'));
  expect(await required(call(applicationCreate, { body: null as never }))).toBe(of('body'));
  const headers = { 'Mac-App-Id': undefined } as never;
  expect(await required(call(catalogApplicationPatch, { params: { appId: 'MAC-1' }, headers, body: {} }))).toBe(of('Mac-App-Id'));
  expect(server.asked).toEqual([]);
});

test('no answer at all is a FetchError', async () => {
  answer = (_, response) => response.destroy();
  const error = await failure(call(applicationView, { params: { app: 'x' } }));
  expect(error).toBeInstanceOf(FetchError);
  expect(error).toHaveProperty('message', 'The request failed and the interceptors did not return an alternative response');
  expect(error).toMatchObject({ status: undefined });
  // A browser reports status 0 for an API at another origin.
  setRuntimeConfig({ ...runtimeConfig(), teamServiceUrl: server.origin });
  Object.assign(globalThis, { location: new URL('https://console.example.com/') });
  expect(await failure(call(applicationView, { params: { app: 'x' } }))).toMatchObject({ status: 0 });
});

test('a refused token is tried once more, with the newer one where another tab has got it', async () => {
  answer = (asked, response) => {
    if (asked.headers['authorization'] === 'Bearer token-2') return json(response, 200, { id: 'berth' });
    const key = localStorage.key(0) ?? '';
    const user = JSON.parse(localStorage.getItem(key) ?? '{}') as object;
    localStorage.setItem(key, JSON.stringify({ ...user, access_token: 'token-2' }));
    return json(response, 401, { status: 401, title: 'x', errors: [] });
  };
  expect(await call(applicationView, { params: { app: 'berth' } })).toEqual({ id: 'berth' });
  expect(server.asked.map(({ headers }) => headers['authorization'])).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('a token that stays refused is a 401 after the second try', async () => {
  answer = (_, response) => json(response, 401, { status: 401, title: 'x', errors: [{ code: 'TokenInvalid' }] });
  expect(await failure(call(applicationView, { params: { app: 'x' } }))).toMatchObject({ status: 401 });
  expect(server.asked.length).toBe(2);
});

test('sends the trace of a click with every request', async () => {
  answer = (_, response) => json(response, 200, {});
  setExtraHeaders(() => ({ traceparent: 'a click' }));
  await call(applicationView, { params: { app: 'berth' } });
  setExtraHeaders(() => ({}));
  await call(applicationView, { params: { app: 'berth' } });
  expect(server.asked.map(({ headers }) => headers['traceparent'])).toEqual(['a click', undefined]);
});
