import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createApp } from '../src/app.js';
import { Logbook } from '../src/logbook.js';
import { serve } from '../src/serve.js';

let server;
let url;
before(async () => {
  server = await serve(createApp({ logbook: new Logbook() }), { port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${server.port}`;
});
after(() => server.stop());

const post = (fields, headers = {}) =>
  fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' });
const read = async (address = url) => (await fetch(address)).text();

describe('the page', () => {
  test('has one title, a form and a stylesheet that is there', async () => {
    const page = await read();
    assert.equal(page.match(/<h1>/g).length, 1);
    assert.match(page, /<form method="post"/);
    const [, style] = /rel="stylesheet" href="([^"]+)"/.exec(page);
    const response = await fetch(new URL(style, url));
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type'), /^text\/css/);
    assert.match(response.headers.get('cache-control'), /immutable/);
  });

  test('lets no script run and loads nothing from elsewhere', async () => {
    const response = await fetch(url);
    assert.match(response.headers.get('content-security-policy'), /default-src 'none'/);
    assert.doesNotMatch(await response.text(), /<script|https?:\/\//);
  });
});

describe('the logbook', () => {
  test('takes a message and shows it, newest first', async () => {
    for (const message of ['First line', 'Second line']) {
      const response = await post({ name: 'Ada', message });
      assert.equal(response.status, 303);
      assert.equal(response.headers.get('location'), './#logbook');
    }
    assert.match(await read(), /Second line[^]*First line/);
  });

  test('keeps text as text', async () => {
    await post({ name: '<b>Eve</b>', message: '"><script>alert(1)</script>' });
    const page = await read();
    assert.match(page, /&lt;b&gt;Eve&lt;\/b&gt;/);
    assert.doesNotMatch(page, /<script>alert/);
  });

  test('says what is wrong at the field and keeps what was typed', async () => {
    const response = await post({ name: 'Grace "G" Hopper', message: '   ' });
    assert.equal(response.status, 422);
    const page = await response.text();
    assert.match(page, /id="message-error">Message is required</);
    assert.match(page, /value="Grace &quot;G&quot; Hopper"/);
    assert.match(await (await post({ name: 'x'.repeat(41), message: 'y' })).text(), /Name may have at most 40 characters/);
  });

  test('is not written from other sites, and not without end', async () => {
    assert.equal((await post({ name: 'a', message: 'b' }, { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await post({ name: 'a', message: 'b' }, { origin: 'https://elsewhere.example' })).status, 403);
    assert.equal((await post({ name: 'a', message: 'x'.repeat(20_000) })).status, 413);
  });

  test('keeps the newest fifty entries', () => {
    const logbook = new Logbook();
    for (let number = 1; number <= 60; number += 1) logbook.add({ name: 'Ada', message: String(number) });
    assert.equal(logbook.list().length, 50);
    assert.equal(logbook.list()[0].message, '60');
  });
});

describe('the service', () => {
  test('is healthy', async () => {
    assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' });
  });

  test('serves nothing but its public files', async () => {
    for (const path of ['/package.json', '/src/main.js', '/..%2fpackage.json', '/nothing']) {
      assert.equal((await fetch(url + path)).status, 404, path);
    }
    assert.equal((await fetch(`${url}/favicon.svg`, { method: 'DELETE' })).status, 405);
  });
});
