import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createApp } from '../src/app.js';
import { BerthStore, exampleBerths } from '../src/berths.js';
import { serve } from '../src/serve.js';

let server;
let url;
before(async () => {
  server = await serve(createApp({ store: new BerthStore(exampleBerths) }), { port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${server.port}`;
});
after(() => server.stop());

const post = (body, headers = { 'content-type': 'application/json' }) =>
  fetch(`${url}/berths`, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
const berth = { name: 'Berth 9', quay: 'East Quay', lengthMetres: 90, depthMetres: 6.5 };

describe('berths', () => {
  test('one is created, read, listed and removed', async () => {
    const created = await post(berth);
    assert.equal(created.status, 201);
    const { id } = await created.json();
    const address = url + created.headers.get('location');

    assert.partialDeepStrictEqual(await (await fetch(address)).json(), { id, ...berth });
    const { berths } = await (await fetch(`${url}/berths`)).json();
    assert.ok(berths.some((listed) => listed.id === id));

    assert.equal((await fetch(address, { method: 'DELETE' })).status, 204);
    assert.equal((await fetch(address)).status, 404);
    assert.equal((await fetch(address, { method: 'DELETE' })).status, 404);
  });

  test('the list can be narrowed to long berths', async () => {
    const { berths } = await (await fetch(`${url}/berths?minLengthMetres=200`)).json();
    assert.deepEqual(
      berths.map(({ name }) => name),
      ['Berth 2'],
    );
    assert.equal((await fetch(`${url}/berths?minLengthMetres=long`)).status, 400);
  });

  test('every wrong field is named', async () => {
    const response = await post({ name: ' ', quay: 'East Quay', lengthMetres: '90', colour: 'red' });
    assert.equal(response.status, 400);
    assert.match(response.headers.get('content-type'), /^application\/problem\+json/);
    const problem = await response.json();
    assert.deepEqual(
      problem.errors.map(({ field }) => field),
      ['name', 'lengthMetres', 'depthMetres', 'colour'],
    );
  });

  test('a body that is no JSON, too large or of another type is refused', async () => {
    assert.equal((await post('{ "name": ')).status, 400);
    assert.equal((await post('[]')).status, 400);
    assert.equal((await post('name=x', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415);
    assert.equal((await post({ ...berth, name: 'x'.repeat(70_000) })).status, 413);
  });
});

describe('the service', () => {
  test('is healthy', async () => {
    const response = await fetch(`${url}/healthz`);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'ok' });
  });

  test('describes every operation', async () => {
    const { openapi, paths } = await (await fetch(`${url}/openapi.json`)).json();
    assert.equal(openapi, '3.1.0');
    assert.deepEqual(Object.keys(paths['/berths']), ['get', 'post']);
    assert.deepEqual(Object.keys(paths['/berths/{id}']), ['get', 'delete']);
  });

  test('has a page that lists the endpoints', async () => {
    const page = await (await fetch(url)).text();
    assert.match(page, /<code>\/berths\/\{id\}<\/code>/);
    assert.match(page, /Remove a berth/);
  });

  test('says what is not there and what is not possible', async () => {
    assert.equal((await fetch(`${url}/ships`)).status, 404);
    assert.equal((await fetch(`${url}/berths/%zz`)).status, 400);
    const response = await fetch(`${url}/berths`, { method: 'PATCH' });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'GET, POST');
  });
});
