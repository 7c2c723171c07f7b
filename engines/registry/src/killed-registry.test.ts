// @long: starts, ends and kills programs
// Kills the registry with kill -9 while clients push and delete and garbage is collected. No manifest may lose its blobs, no acknowledged
// tag may be lost, and no deleted tag may return. The same applies to files that the registry takes in itself.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RobotCredentials } from '@slipway/foundation/ports/registry.ts';
import { digestOf, RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables } from './tables.ts';
import { PATIENCE_MS, roundsOf } from '@slipway/foundation/testing/patience.ts';
import { BlobFiles } from './content/blob-files.ts';
import { EmbeddedRegistry } from './embedded-registry.ts';
import { TAKING, type KilledRegistry, type TakenImage } from './killed-registry.fixture.ts';

const ROUNDS = roundsOf(50, 4);
const PUSHERS = 4;
const GRACE_MS = 300;
const program = path.join(import.meta.dirname, 'killed-registry.fixture.ts');
const name = 'killed registry';

let database: EngineDatabase;
let dataDir: string;
let credentials: RobotCredentials;
const signingKey = randomBytes(32).toString('base64');
/** Expected digest of each tag, or null after a deletion. A tag is undecided while the outcome of its last request is unknown. */
const tags = new Map<string, { digest: string | null; isUndecided: boolean }>();

beforeAll(async () => {
  database = await engineDatabase(tables);
  dataDir = await mkdtemp(path.join(tmpdir(), 'slipway-killed-'));
  const url = 'http://127.0.0.1:1';
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const registry = new EmbeddedRegistry({
    pool: database.pool,
    dataDir,
    publicUrl: url,
    baseUrl: url,
    signingKey: Buffer.from(signingKey, 'base64'),
    log,
  });
  await registry.projectEnsure('shop', 'tests');
  credentials = await registry.robotEnsure('shop', 'ci', ['pull', 'push', 'delete']);
  await registry.close();
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = async ({ isTaking = false } = {}) => {
  const connection = { ...database.config, application_name: name };
  const options: KilledRegistry = { connection, dataDir, graceMs: GRACE_MS, signingKey, isTaking };
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const baseUrl = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The registry ended with ${code}`)));
  });
  return { child, baseUrl, lines };
};

/** Pushes images, moves tags and deletes some of them until the registry is killed. Returns the number of pushes. */
const work = async (client: RegistryClient, repository: string, isOver: () => boolean): Promise<number> => {
  let done = 0;
  for (let turn = 0; !isOver(); turn += 1) {
    const tag = `t${turn % 7}`;
    const key = `${repository}:${tag}`;
    const known = tags.get(key);
    try {
      if (turn % 5 === 4 && known?.digest) {
        tags.set(key, { ...known, isUndecided: true });
        const reference = turn % 2 === 0 ? tag : known.digest;
        const { status } = await client.send('DELETE', `/v2/${repository}/manifests/${reference}`);
        // A deletion by digest removes every tag of the image. Each image here has one.
        if (status === 202) tags.set(key, { digest: null, isUndecided: false });
      } else {
        const before = known ?? { digest: null, isUndecided: false };
        tags.set(key, { ...before, isUndecided: true });
        // Large enough to be interrupted in the middle.
        const { digest } = await client.pushImage(repository, tag, `${turn} ${randomBytes(40_000).toString('hex')}`);
        tags.set(key, { digest, isUndecided: false });
        done += 1;
      }
    } catch {
      // Refused or interrupted. The registry may have carried out the request.
    }
  }
  return done;
};

/** Waits until PostgreSQL has ended the killed process's sessions and rolled back their transactions. */
const goneSessions = () =>
  expect
    .poll(async () => (await database.pool.query(`select from pg_stat_activity where application_name = $1`, [name])).rowCount, {
      timeout: PATIENCE_MS,
    })
    .toBe(0);

/** Checks that every acknowledged image exists and that its files match their digests. */
const checkTaken = async (acknowledged: readonly TakenImage[]): Promise<void> => {
  const files = new BlobFiles(dataDir);
  const { rows } = await database.pool.query<{ image: string; blob: string }>(
    'select manifest_digest as image, blob_digest as blob from registry_manifest_blob where repository = $1',
    [TAKING],
  );
  const images = new Set(rows.map(({ image }) => image));
  expect(acknowledged.filter(({ digest }) => !images.has(digest))).toEqual([]);
  for (const { blob } of rows) expect(digestOf(await readFile(files.pathOf(blob)))).toBe(blob);
};

const check = async (): Promise<void> => {
  const files = new BlobFiles(dataDir);
  const { rows: needed } = await database.pool.query<{ digest: string; size: number | null; isLinked: boolean; of: string }>(
    `select n.blob_digest as digest, b.size_bytes::float8 as size, l.digest is not null as "isLinked", n.manifest_digest as of
       from registry_manifest_blob n
       left join registry_blob b on b.digest = n.blob_digest
       left join registry_blob_link l on l.repository = n.repository and l.digest = n.blob_digest
     union all
     select m.digest, b.size_bytes::float8, true, m.digest from registry_manifest m left join registry_blob b on b.digest = m.digest`,
  );
  const broken: string[] = [];
  for (const { digest, size, isLinked, of } of needed) {
    const found = await stat(files.pathOf(digest)).catch(() => undefined);
    if (!isLinked || size === null || found?.size !== size) broken.push(`${of} needs ${digest}`);
  }
  expect(broken).toEqual([]);
  const { rows } = await database.pool.query<{ repository: string; name: string; digest: string }>(
    'select repository, name, digest from registry_tag',
  );
  const now = new Map(rows.map((row) => [`${row.repository}:${row.name}`, row.digest]));
  const wrong = [...tags].filter(([key, { digest, isUndecided }]) => !isUndecided && (now.get(key) ?? null) !== digest);
  expect(wrong).toEqual([]);
  for (const [key] of tags) tags.set(key, { digest: now.get(key) ?? null, isUndecided: false });
};

test(`nothing is lost by ${ROUNDS} kills`, { timeout: 600_000 }, async () => {
  let pushed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { child, baseUrl } = await start();
    let isOver = false;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const client = new RegistryClient({ baseUrl }, credentials);
    const working = Array.from({ length: PUSHERS }, (_, index) => work(client, `shop/r${index}`, () => isOver));
    // Kills the registry at a different moment in each round.
    await delay(300 + ((round * 137) % 900));
    child.kill('SIGKILL');
    isOver = true;
    await ended;
    pushed += (await Promise.all(working)).reduce((sum, done) => sum + done, 0);
    await goneSessions();
    await check();
  }
  expect(pushed).toBeGreaterThan(ROUNDS);
  expect([...tags.values()].some(({ digest }) => digest !== null)).toBe(true);
});

test(`nothing of what it takes in itself is lost by ${ROUNDS} kills`, { timeout: 600_000 }, async () => {
  const acknowledged: TakenImage[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { child, lines } = await start({ isTaking: true });
    const read = once(lines, 'close');
    const before = acknowledged.length;
    lines.on('line', (line) => {
      acknowledged.push(JSON.parse(line) as TakenImage);
      // Kills the registry at a different moment in each round.
      if (acknowledged.length === before + 1) setTimeout(() => child.kill('SIGKILL'), (round * 13) % 50);
    });
    await read;
    expect(acknowledged.length).toBeGreaterThan(before);
    await goneSessions();
    await check();
    await checkTaken(acknowledged);
  }
});
