// @long: starts, ends and kills programs
/** Archives that restore and check reject before anything is written, and the state after an interrupted restore. */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { pack as createPack } from 'tar-stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { BlobFiles } from '@slipway/registry/content/blob-files.ts';
import { GitProgram } from '@slipway/git/git-program.ts';
import { createWithFirstCommit } from '@slipway/git/new-repository.ts';
import { openDatabase } from '#db/database.ts';
import { migrate, readMigrations } from '#db/migrator.ts';
import { CONTENTS, MANIFEST, type Part } from '#kernel/archive/archive-parts.ts';
import { readWhole } from '#kernel/archive/archive-reader.ts';
import { platformKey } from '#kernel/platform-keys.ts';
import { runCommand } from '#testing/command.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { checkDatabase, checkRestoreEnded } from '../check-state.ts';
import { listingOf, type Manifest } from './archive-format.ts';
import { readArchive } from './archive-reader.ts';
import { backUp } from './back-up.ts';
import { checkArchive } from './check-archive.ts';
import { MARK_TABLE, restoreMark } from './data-places.ts';
import { restore } from './restore.ts';

const passphrase = 'correct horse battery staple';
const log = { debug() {}, info() {}, warn() {}, error() {} };
let base: string;
let source: TestDatabase;
let dataDir: string;
let archive: string;
const place = (name: string): string => path.join(base, name);
const open = { passphrase: async () => passphrase };
const config = (directory: string, databaseUrl: string | undefined) => ({ dataDir: directory, databaseUrl, diskFloorMegabytes: 0 });

const save = (file: string, database = source) =>
  backUp({ file, passphrase, config: config(dataDir, database.url), version: '0.1.0', log });

beforeAll(async () => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-refusals-'));
  fs.chmodSync(base, 0o711);
  source = await testDatabase();
  dataDir = place('source');
  await platformKey(source.pool, new FileKeys(path.join(dataDir, 'keys')), 'cookies', () => randomBytes(32));
  await addContent(source);
  archive = place('good.tar.zst');
  await save(archive);
});
afterAll(async () => {
  await source.drop();
  fs.rmSync(base, { recursive: true, force: true });
});

/** Adds an app, its repository and an incompressible blob, so that the tests can damage any position of the archive. */
async function addContent({ pool }: TestDatabase): Promise<void> {
  const files = new BlobFiles(path.join(dataDir, 'registry'));
  const { file, sizeBytes, digest } = await files.receive(Readable.from([randomBytes(200_000)]), 'sha256', 1e9);
  await files.keep(file, digest);
  await pool.query('insert into registry_blob values ($1, $2, now())', [digest, sizeBytes]);
  await pool.query(`insert into team (id, display_name, created_by) values ('cranes', 'Cränes, "quoted" \\\\ and \\t tab', 'me')`);
  await pool.query(`insert into app (id, team_id, display_name, created_by) values ('berth', 'cranes', 'Berth', 'me')`);
  const first = {
    files: [{ path: 'a.txt', content: Buffer.from('a'), isExecutable: false }],
    message: 'First',
    author: 'A',
    email: 'a@b.c',
    at: new Date(0),
  };
  await createWithFirstCommit(new GitProgram(), path.join(dataDir, 'git/berth/berth.git'), path.join(dataDir, 'git/.aside-test'), first);
}

/** Restores into a missing directory, which the refused restore must not create. */
async function refusal(file: string, more: Partial<Parameters<typeof restore>[0]> = {}): Promise<string> {
  const empty = await testDatabase({ isEmpty: true });
  const target = place(`target-${randomBytes(4).toString('hex')}`);
  const options = { file, ...open, keysDirectory: undefined, config: config(target, empty.url), log, ...more };
  const said = await restore(options).then(
    () => 'restored',
    (error: Error) => `${error.name}: ${error.message}`,
  );
  if (said !== 'restored') {
    expect((await empty.pool.query("select 1 from pg_class where relnamespace = 'public'::regnamespace")).rows).toEqual([]);
    expect(fs.existsSync(target)).toBe(false);
  }
  await empty.drop();
  return said;
}

const changed = (name: string, change: (bytes: Buffer) => Buffer): string => {
  fs.writeFileSync(place(name), change(fs.readFileSync(archive)));
  return place(name);
};

/** Rewrites the archive with changed parts and valid checksums, as an attacker without the passphrase could. */
async function forged(name: string, change: (part: string, bytes: Buffer) => Buffer | undefined): Promise<string> {
  const pack = createPack();
  const written = pipeline(pack, createZstdCompress(), fs.createWriteStream(place(name)));
  const parts: Part[] = [];
  const add = (part: string, bytes: Buffer) => {
    pack.entry({ name: part }, bytes);
    if (part !== CONTENTS) parts.push({ name: part, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  };
  const { manifest, contents } = await readArchive(archive, {
    onPart: async ({ part, bytes }) => {
      if (parts.length === 0) add(MANIFEST, change(MANIFEST, Buffer.from(JSON.stringify(found))) ?? Buffer.alloc(0));
      const content = change(part.name, await readWhole(bytes, part.size, 1e9));
      if (content) add(part.name, content);
    },
    onManifest: (read) => void (found = read),
  });
  expect(manifest.product).toBe('slipway');
  add(CONTENTS, Buffer.from(JSON.stringify({ parts, seal: contents.seal })));
  pack.finalize();
  await written;
  return place(name);
}
let found: Manifest | undefined;

const manifestWith = (more: (manifest: Manifest) => object) => (part: string, bytes: Buffer) =>
  part === MANIFEST ? Buffer.from(JSON.stringify({ ...JSON.parse(bytes.toString()), ...more(JSON.parse(bytes.toString())) })) : bytes;

test('a whole archive is restored: a refusal below is for its own reason', async () => {
  expect(await refusal(archive)).toBe('restored');
});

test.each([0.02, 0.3, 0.6, 0.9, 0.999])('a half archive, cut at %f', async (share) => {
  const file = changed('half', (bytes) => bytes.subarray(0, Math.floor(bytes.length * share)));
  expect(await refusal(file)).toMatch(/StartError: .*is damaged: it ends in the middle.*another backup/s);
  await expect(checkArchive(file, open)).rejects.toThrow('is damaged');
});

test('an archive with any byte changed: it is refused, or everything in it is as it was written', async () => {
  const size = fs.statSync(archive).size;
  const { contents } = await readArchive(archive);
  let refused = 0;
  for (let at = 5; at < size; at += Math.floor(size / 60)) {
    const file = changed('changed', (bytes) => {
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      return bytes;
    });
    const found = await readArchive(file).catch((error: Error) => error.message);
    if (typeof found === 'string') {
      expect(found, `byte ${at}`).toMatch(/is damaged|is no backup/);
      refused += 1;
    } else expect(found.contents, `byte ${at}`).toEqual(contents);
  }
  // The other positions are in the compression frame, for example its memory size.
  expect(refused).toBeGreaterThan(55);
  const half = Math.floor(size / 2);
  const file = changed('changed', (bytes) => bytes.fill((bytes[half] ?? 0) ^ 1, half, half + 1));
  expect(await refusal(file)).toMatch(/is damaged/);
});

test('something else', async () => {
  fs.writeFileSync(place('text'), 'hello');
  expect(await refusal(place('text'))).toContain('is no backup');
  expect(await refusal(place('nowhere'))).toContain('cannot be read');
});

test('another passphrase', async () => {
  expect(await refusal(archive, { passphrase: async () => 'wrong horse battery staple' })).toContain(
    'The passphrase does not open the keys',
  );
});

test('one that was forged by somebody without the passphrase', async () => {
  const file = await forged('forged', (part, bytes) =>
    part.startsWith('rows/team/') ? Buffer.from(bytes.toString().replace('quoted', 'quotes')) : bytes,
  );
  const other = await forged('forged-too', (part, bytes) => (part.startsWith('rows/app/') ? undefined : bytes));
  for (const name of [file, other]) expect(await refusal(name)).toMatch(/does not bear the seal|do not bear the seal/);
  expect(listingOf([{ name: 'a', size: 1, sha256: 'b' }])).toBe('b 1 a\n');
});

test('one of a newer version, by its migrations and by its format', async () => {
  const newer = (name: string) => ({ name, checksum: 'x' });
  const later = await forged(
    'later',
    manifestWith(({ migrations }) => ({ version: '9.0.0', migrations: [...migrations, newer('9000_future')] })),
  );
  expect(await refusal(later)).toMatch(/newer version of Slipway \(9\.0\.0, with 9000_future\).*restore it with that version/);
  expect(
    await refusal(
      await forged(
        'format',
        manifestWith(() => ({ version: '9.0.0', format: 2 })),
      ),
    ),
  ).toContain('newer version of Slipway (9.0.0)');
});

test.each([
  '../escape',
  'git/berth/berth.git/config',
  'git/berth/berth.git/hooks/post-receive',
  'rows/pg_authid;x/00000001',
  '/etc/passwd',
  'blobs/sha256/../x',
])('one that holds %s', async (name) => {
  const pack = createPack();
  pack.entry({ name: MANIFEST }, JSON.stringify(found ?? (await readArchive(archive)).manifest));
  pack.entry({ name }, 'x');
  pack.finalize();
  await pipeline(pack, createZstdCompress(), fs.createWriteStream(place('odd')));
  expect(await refusal(place('odd'))).toContain('which no backup holds');
});

test('keys that were kept apart: none, and those of another platform', async () => {
  const file = place('apart.tar.zst');
  await backUp({ file, passphrase: undefined, config: config(dataDir, source.url), version: '0.1.0', log });
  expect(fs.readFileSync(file).includes(fs.readFileSync(path.join(dataDir, 'keys/1.key')))).toBe(false);
  expect(await refusal(file)).toContain('--keys');
  const others = new FileKeys(place('other-keys'));
  await others.currentKid();
  expect(await refusal(file, { keysDirectory: place('other-keys') })).toContain('not the keys of this backup');
  expect(await refusal(file, { keysDirectory: path.join(dataDir, 'keys') })).toBe('restored');
});

test('a directory or a database that is not empty, and a disk that is too small', async () => {
  const full = place('full');
  fs.mkdirSync(full);
  fs.writeFileSync(path.join(full, 'photo.jpg'), 'x');
  const into = (directory: string, url: string, diskFloorMegabytes = 0) =>
    restore({
      file: archive,
      ...open,
      keysDirectory: undefined,
      config: { dataDir: directory, databaseUrl: url, diskFloorMegabytes },
      log,
    });
  const empty = await testDatabase({ isEmpty: true });
  await expect(into(full, empty.url)).rejects.toThrow(/full is not empty \(photo\.jpg.*never writes over anything/);
  await expect(into(place('new'), source.url)).rejects.toThrow(/DATABASE_URL is not empty/);
  await expect(into(place('new'), empty.url, 1e12)).rejects.toThrow(/is too small/);
  expect(fs.existsSync(place('new'))).toBe(false);
  await empty.drop();
});

test('a backup where the disk is too small leaves nothing, and does not write over anything', async () => {
  const small = { dataDir, databaseUrl: source.url, diskFloorMegabytes: 1e12 };
  fs.mkdirSync(place('small'));
  await expect(backUp({ file: place('small/a'), passphrase, config: small, version: '0', log })).rejects.toThrow(
    /too little space.*nothing was left/,
  );
  expect(fs.readdirSync(place('small'))).toEqual([]);
  await expect(save(archive)).rejects.toThrow('is there already');
  await expect(save(place('missing/a'))).rejects.toThrow('cannot be written');
});

test('a backup that is ended leaves nothing, and the next one works', async () => {
  fs.mkdirSync(place('ended'));
  // 32 MB, so that the restore still runs when it is killed.
  await source.pool.query(
    `insert into activity (id, at, type, reason, level, message, actor_id, actor_name, origin, outcome)
     select 'large', now(), 'serviceDeploy', 'Deployed', 'INFO', string_agg(md5(random()::text), ''), 'ada', 'Ada', 'console', 'DONE'
     from generate_series(1, 1000000)`,
  );
  const env = { DATABASE_URL: source.url, SLIPWAY_DATA: dataDir, SLIPWAY_DISK_FLOOR_MB: '0' };
  const { code } = await runCommand(['backup', place('ended/a')], env, async (child) => {
    await vi.waitUntil(() => fs.readdirSync(place('ended')).length > 0, { timeout: 60_000, interval: 5 });
    child.kill('SIGTERM');
  });
  expect(code).toBe(1);
  expect(fs.readdirSync(place('ended'))).toEqual([]);
  expect([path.join(dataDir, 'git/.backup'), path.join(dataDir, 'registry/backup')].filter((folder) => fs.existsSync(folder))).toEqual([]);
  await source.pool.query(`delete from activity where id = 'large'`);
  await save(place('ended/b'));
});

test('two backups at a time', async () => {
  const both = await Promise.allSettled([save(place('one')), save(place('two'))]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(String((both.find(({ status }) => status === 'rejected') as PromiseRejectedResult).reason)).toContain('Another backup');
});

test('a restore that did not end is refused by name, by the start and by another restore', async () => {
  const target = await testDatabase({ isEmpty: true });
  const directory = place('interrupted');
  // Changed between the check and the write, so that the write breaks off partway. Everything but the last rows may be written by then.
  const file = changed('swapped', (bytes) => bytes);
  const passphraseLate = async () => passphrase;
  const again = restore({ file, passphrase: passphraseLate, keysDirectory: undefined, config: config(directory, target.url), log });
  await vi.waitUntil(() => fs.existsSync(restoreMark(directory)), { timeout: 60_000, interval: 1 });
  fs.truncateSync(file, 300);
  await expect(again).rejects.toThrow(/is damaged|changed while/);
  expect(() => checkRestoreEnded(directory)).toThrow(/has not come to its end.*slipway restore/);
  await expect(checkDatabase(target.pool, place('elsewhere'))).rejects.toThrow(/has not come to its end/);
  expect((await target.pool.query(`select 1 from ${MARK_TABLE}`)).rows).toEqual([]);
  const retry = (to: string) => restore({ file: archive, ...open, keysDirectory: undefined, config: config(to, target.url), log });
  await expect(retry(directory)).rejects.toThrow('unfinished restore');
  await expect(retry(place('elsewhere'))).rejects.toThrow('unfinished restore');
  await target.drop();
});

test('one of an older version is restored and brought forward', async () => {
  const names = readMigrations().map(({ name }) => name);
  const old = await testDatabase({ isEmpty: true });
  await migrate(old.config, { log, only: new Set(names.slice(0, -2)) });
  await old.pool.query(`insert into team (id, display_name, created_by) values ('old', 'Old', 'me')`);
  const file = place('old.tar.zst');
  await save(file, old);
  const target = await testDatabase({ isEmpty: true });
  const report = await restore({ file, ...open, keysDirectory: undefined, config: config(place('forward'), target.url), log });
  expect(report.migrated).toEqual(names.slice(-2));
  const { pool, close } = openDatabase(target.config);
  expect((await pool.query('select id from team')).rows).toEqual([{ id: 'old' }]);
  await close();
  for (const database of [old, target]) await database.drop();
});
