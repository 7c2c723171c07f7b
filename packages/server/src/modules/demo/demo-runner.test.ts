/** The worker of the demo scene: only the one that holds the lock goes on. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp } from '#testing/app.ts';
import { DemoRunner } from './demo-runner.ts';
import { setDirection } from './scene.sql.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
});
afterAll(() => app?.close());

test('stops when it loses the connection that holds its lock', async () => {
  let [asked, ended] = [0, 0];
  const hanging = http.createServer((request) => {
    asked += 1;
    request.socket.once('close', () => (ended += 1));
  });
  await once(hanging.listen(0, '127.0.0.1'), 'listening');
  const { port } = hanging.address() as AddressInfo;
  const { database, adapters } = app;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const runner = new DemoRunner({ ...database, streaming: adapters.streaming, port: () => port, serviceUrl: '', log });
  await setDirection(database.db, 'FILLING', 'ada');
  runner.start();
  try {
    await expect.poll(() => asked).toBe(1);
    await database.pool.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database()) and classid <> 0`);
    await expect.poll(() => ended).toBe(1);
  } finally {
    await runner.stop();
    hanging.closeAllConnections();
    hanging.close();
  }
  expect((await database.pool.query(`select from api_token where name = 'Demo scene'`)).rowCount).toBe(0);
});
