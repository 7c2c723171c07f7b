// @long: starts and kills programs
/** Rotation of the key that wraps all data keys: under load, after a kill, and with rows that do not open. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyRotationCreate, keyStatusView, type KeyStatus } from '@slipway/contract/keys.ts';
import { secretGroupCreate, secretReveal, secretVersionCreate } from '@slipway/contract/secret/secret-group.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { platformKey } from '#kernel/platform-keys.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';

const GROUPS = 60;
const directory = mkdtempSync(join(tmpdir(), 'slipway-rotation-'));
const keys = new FileKeys(join(directory, 'keys'));
const params = { app: 'berth', env: 'development' };
let app: TestApp;
const workers: ChildProcess[] = [];

beforeAll(async () => {
  app = await testApp({ isWorker: false, adapt: (adapters) => ({ ...adapters, keys }) });
  await seedApp(app.database.db, { id: 'berth' });
  await platformKey(app.database.pool, keys, 'for-the-test', () => new Uint8Array(32).fill(7));
  for (let at = 0; at < GROUPS; at++) {
    const entries = [{ key: 'PASSWORD', value: `value-${at}` }];
    const body = { name: `group-${at}`, entries };
    expect((await app.call('member', secretGroupCreate, { params, body })).status).toBe(201);
  }
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

const startWorker = (slowMs: number): ChildProcess => {
  const file = fileURLToPath(new URL('../../testing/rotating-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [file, app.database.url, join(directory, 'keys'), String(slowMs)], { stdio: 'inherit' });
  workers.push(worker);
  return worker;
};
const kill = async (worker: ChildProcess): Promise<void> => {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
};
const status = async () => (await app.call('administrator', keyStatusView)).body as KeyStatus;
const rotation = async () => (await status()).rotation;
const reveal = (at: number) => {
  const body = { key: 'PASSWORD', version: 1, reason: 'Reading while the key rotates' };
  return app.call('member', secretReveal, { params: { ...params, group: `group-${at}` }, body });
};
const ended = (state: string) => expect.poll(async () => (await rotation())?.state).toBe(state);

/** Reads and writes continuously until stopped. Returns every unexpected status. */
const load = () => {
  let isOn = true;
  let reads = 0;
  const wrong: unknown[] = [];
  const reading = (async () => {
    for (let at = 0; isOn; at = (at + 1) % GROUPS, reads++) {
      const answer = await reveal(at);
      if (answer.status !== 200 || (answer.body as { value: string }).value !== `value-${at}`) wrong.push([at, answer.status, answer.body]);
    }
  })();
  const writing = (async () => {
    for (let version = 1; isOn; version++) {
      const body = { basedOn: version, entries: [{ key: 'MORE', value: String(version) }] };
      const answer = await app.call('member', secretVersionCreate, { params: { ...params, group: 'group-0' }, body });
      if (answer.status !== 201) wrong.push([answer.status, answer.body]);
    }
  })();
  return {
    stop: async () => {
      isOn = false;
      await Promise.all([reading, writing]);
      return { reads, wrong };
    },
  };
};

test('goes on where it was after a kill, and no read fails meanwhile', async () => {
  const before = await status();
  expect(before).toMatchObject({ kind: 'file', rotation: null, kids: [{ isCurrent: true }] });
  const underLoad = load();
  const started = (await app.call('administrator', keyRotationCreate)).body as KeyStatus;
  expect(started.currentKid).not.toBe(before.currentKid);
  expect(started.rotation).toMatchObject({ state: 'RUNNING', kid: started.currentKid, startedBy: { id: 'ada' } });
  expect(started.rotation?.total).toBeGreaterThanOrEqual(GROUPS + 2);
  expect(errorsOf(await app.call('administrator', keyRotationCreate))).toEqual([409, 'undefined: KeyRotationRunning']);

  const first = startWorker(40);
  await expect.poll(async () => (await rotation())?.done ?? 0, { interval: 20 }).toBeGreaterThan(10);
  await kill(first);
  const half = await rotation();
  expect(half).toMatchObject({ state: 'RUNNING' });
  expect(half?.done).toBeLessThan(GROUPS);

  const second = startWorker(0);
  await ended('COMPLETED');
  const { reads, wrong } = await underLoad.stop();
  expect(wrong).toEqual([]);
  expect(reads).toBeGreaterThan(GROUPS);
  expect(await rotation()).toMatchObject({ failed: 0, done: started.rotation?.total, finishedAt: expect.any(String) as unknown });
  // Nothing uses the old key anymore.
  expect((await status()).kids).toEqual([{ kid: started.currentKid, wraps: expect.any(Number) as unknown, isCurrent: true }]);
  expect(Buffer.from(await platformKey(app.database.pool, keys, 'for-the-test', () => new Uint8Array()))).toEqual(Buffer.alloc(32, 7));
  for (let at = 0; at < GROUPS; at++) expect((await reveal(at)).body).toMatchObject({ value: `value-${at}` });
  await kill(second);
});

test('leaves what does not open with its old key, and says so', async () => {
  await app.database.pool.query(
    `update secret_version set wrapped = substring(wrapped for 10) where group_id = (select id from secret_group where name = 'group-7')`,
  );
  const { currentKid: old } = await status();
  const { rotation: started } = (await app.call('administrator', keyRotationCreate)).body as KeyStatus;
  startWorker(0);
  await ended('FAILED');
  expect(await rotation()).toMatchObject({ failed: 1, done: (started?.total ?? 0) - 1 });
  expect((await status()).kids.find(({ kid }) => kid === old)).toMatchObject({ wraps: 1, isCurrent: false });
  expect(errorsOf(await reveal(7))).toEqual([500, 'undefined: SecretUnreadable']);
  expect((await reveal(8)).status).toBe(200);
});
