// @long: starts, ends and kills programs
/** Backup and restore as an operator does them: by the command, under load, after the machine is lost, and into another kind of database. */
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { containerRegistryView } from '@slipway/contract/registry/project.ts';
import { teamView } from '@slipway/contract/team.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { git } from '@slipway/git/git-client.fixture.ts';
import { openDatabase, type DatabaseConfig } from '#db/database.ts';
import { runningConnection } from '#db/embedded-postgres.ts';
import { openVersion } from '#modules/secret-groups/seal.ts';
import { sealedVersion } from '#modules/secret-groups/versions.sql.ts';
import { digestOf, RegistryClient } from '#ports/registry.suite-client.ts';
import { dataPlaces } from '../backup/data-places.ts';
import { readArchive } from '../backup/archive-reader.ts';
import { leftOut } from '../backup/snapshot.ts';
import { freePort } from '#testing/free-port.ts';
import { loadGroup, startLoad, type Load } from './load/backup-load.ts';
import { runCommand } from './command.ts';
import { testDatabase } from './database.ts';
import { rareTest } from '#testing/faults/fault-share.ts';
import { askEdge, Program, removeData, untilServed } from './program.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });

let base: string;
let port: number;
let ingressPort: number;
let program: Program | undefined;
const place = (name: string): string => join(base, name);
const start = async (dataDir: string, env: Record<string, string> = {}): Promise<Program> => {
  program = await Program.start(port, { SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: String(ingressPort), ...env });
  return program;
};
const succeed = async (args: readonly string[], env: Record<string, string>): Promise<string> => {
  const { code, output } = await runCommand(args, env);
  expect(output).not.toMatch(/^\s+at /m);
  expect(code, output).toBe(0);
  return output;
};

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'slipway-backup-'));
  fs.chmodSync(base, 0o711);
  [port, ingressPort] = [await freePort(), await freePort()];
});
afterAll(async () => {
  await program?.end('SIGKILL');
  for (const name of ['first', 'second']) await removeData(place(name));
  await rm(base, { recursive: true, force: true });
});

/** Every acknowledged version, opened with the keys of the data directory. */
const secretValues = async (connection: DatabaseConfig, dataDir: string): Promise<string[]> => {
  const database = openDatabase(connection);
  try {
    const group = await database.db
      .selectFrom('secret_group')
      .select(['id', 'last_version'])
      .where('name', '=', loadGroup)
      .executeTakeFirstOrThrow();
    const keys = new FileKeys(join(dataDir, 'keys'));
    const values: string[] = [];
    for (let version = 1; version <= group.last_version; version++) {
      const sealed = await sealedVersion(database.db, group.id, version);
      if (!sealed) throw new Error(`Version ${version} is not there`);
      const seal = { app: 'berth-one', environment: 'development', group: loadGroup, version };
      values.push((await openVersion(keys, seal, sealed)).get('VALUE') ?? '');
    }
    return values;
  } finally {
    await database.close();
  }
};

/**
 * Each table, file and blob of an archive with a digest. The rows of a table are sorted: PostgreSQL may put them into another order when a
 * restore copies them in, since it fills pages up that have room.
 */
const contentsOf = async (file: string) => {
  const rows = new Map<string, Buffer[]>();
  const { contents, manifest } = await readArchive(file, {
    onPart: async ({ place: of, bytes }) => {
      if (of.kind !== 'rows') return;
      const table = rows.get(of.table) ?? [];
      rows.set(of.table, table);
      for await (const chunk of bytes) table.push(Buffer.from(chunk));
    },
  });
  const sorted = (chunks: readonly Buffer[]) => Buffer.from(Buffer.concat(chunks).toString().split('\n').toSorted().join('\n'));
  const files = contents.parts.filter(({ name }) => /^(git|blobs)\//.test(name)).map(({ name, sha256 }) => `${name} ${sha256}`);
  return { digests: [...[...rows].map(([table, chunks]) => `${table} ${digestOf(sorted(chunks))}`), ...files], tables: manifest.tables };
};

const checkRepositories = async (dataDir: string, { acknowledged }: Load, pushed: number): Promise<void> => {
  const repository = join(dataDir, 'git/berth-one/berth-one.git');
  expect(await git(repository, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
  const history = (await git(repository, 'log', '--format=%H')).split('\n');
  expect(history).toEqual(expect.arrayContaining(acknowledged.commits.slice(0, pushed)));
};

const checkImages = async (url: string, { acknowledged, repository }: Load, pushed: number): Promise<void> => {
  const robot = acknowledged.robots[0];
  const client = new RegistryClient({ baseUrl: url }, robot);
  for (const [index, image] of acknowledged.images.slice(0, pushed).entries()) {
    const manifest = Buffer.from(await (await client.send('GET', `/v2/${repository}/manifests/n${index + 1}`)).arrayBuffer());
    expect(digestOf(manifest)).toBe(image.digest);
    const layer = Buffer.from(await (await client.send('GET', `/v2/${repository}/blobs/${image.layer.digest}`)).arrayBuffer());
    expect(layer.equals(image.layer.bytes)).toBe(true);
  }
};

const checkRegistryFiles = (dataDir: string): void => {
  const blobs = join(dataDir, 'registry/blobs/sha256');
  for (const folder of fs.readdirSync(blobs))
    for (const name of fs.readdirSync(join(blobs, folder)))
      expect(digestOf(fs.readFileSync(join(blobs, folder, name)))).toBe(`sha256:${name}`);
};

/** Secret values that the first test found, for the second test. */
let values: string[] = [];

test('a backup under load, the machine lost, and a restore elsewhere: what was acknowledged is there, and a deploy works', async () => {
  const first = place('first');
  const before = await start(first);
  await before.makeTeam();
  expect((await before.ended(await before.quickstart('berth-one'))).status.state).toBe('COMPLETED');
  const load = await startLoad(before);
  const least = load.counts();
  const archive = place('under-load.tar.zst');
  const output = await succeed(['backup', archive], { SLIPWAY_DATA: first });
  const most = load.counts();
  await load.stop();
  expect(output).not.toContain('Warning');
  expect(fs.statSync(archive).mode & 0o777).toBe(0o600);
  // Somebody wrote while it was made; else this proves little.
  expect(Object.keys(most).filter((kind) => most[kind as keyof typeof most] > least[kind as keyof typeof least]).length).toBeGreaterThan(2);
  expect(fs.readdirSync(first).filter((name) => dataPlaces[name] === undefined)).toEqual([]);
  expect(fs.existsSync(join(first, 'git/.backup')) || fs.existsSync(join(first, 'registry/backup'))).toBe(false);
  await before.end('SIGKILL');
  await removeData(first);

  expect(await succeed(['backup', '--check', archive], {})).toContain('the passphrase opens its keys');
  const second = place('second');
  await succeed(['restore', archive], { SLIPWAY_DATA: second });
  expect(fs.existsSync(join(second, 'restore-unfinished'))).toBe(false);
  checkRegistryFiles(second);
  const after = await start(second);
  const url = `http://127.0.0.1:${port}`;
  for (const id of load.acknowledged.teams.slice(0, least.teams))
    expect(await after.call(teamView, { params: { team: id } })).toMatchObject({ id });
  const { robotAccounts } = (await after.call(containerRegistryView, { params: { app: 'berth-one', env: 'development' } })) as {
    robotAccounts: { username: string }[];
  };
  expect(robotAccounts.map(({ username }) => username)).toEqual(
    expect.arrayContaining(load.acknowledged.robots.slice(0, least.robots).map(({ username }) => username)),
  );
  await checkRepositories(second, load, least.commits);
  await checkImages(url, load, least.images);
  const connection = runningConnection(second);
  if (!connection) throw new Error('The database does not run');
  values = await secretValues(connection, second);
  expect(values.length).toBeGreaterThanOrEqual(least.secrets);
  expect(values.slice(0, load.acknowledged.secrets.length)).toEqual(load.acknowledged.secrets.slice(0, values.length));
  await untilServed(ingressPort, 'berth-one');
  expect((await after.ended(await after.quickstart('berth-two'))).status.state).toBe('COMPLETED');
  expect(await askEdge(ingressPort, 'berth-two')).toBe(200);
  await after.end('SIGTERM');
});

rareTest("with the server stopped, and into a database of one's own and back: every row, ref, object and blob is equal", async () => {
  const archive = place('stopped.tar.zst');
  await succeed(['backup', '--without-keys', archive], { SLIPWAY_DATA: place('second') });
  const keys = place('keys-apart');
  fs.cpSync(join(place('second'), 'keys'), keys, { recursive: true });
  const database = await testDatabase({ isEmpty: true });
  const third = { SLIPWAY_DATA: place('third'), DATABASE_URL: database.url };
  await succeed(['restore', archive, '--keys', keys], third);
  const again = place('again.tar.zst');
  await succeed(['backup', again], third);
  const [one, two] = [await contentsOf(archive), await contentsOf(again)];
  expect(two.digests).toEqual(one.digests);
  expect(one.digests.length).toBeGreaterThan(50);
  const inThird = await secretValues({ connectionString: database.url }, place('third'));
  expect(inThird).toEqual(values);

  const running = await start(place('third'), { DATABASE_URL: database.url });
  await untilServed(ingressPort, 'berth-one');
  const online = place('online.tar.zst');
  await succeed(['backup', online], third);
  await succeed(['backup', '--check', online], {});
  const { code, output } = await runCommand(['restore', online], third);
  expect([code, output]).toEqual([1, expect.stringContaining('Slipway runs on')]);
  await running.end('SIGTERM');
  const tables = (
    await database.pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition`,
    )
  ).rows;
  const named = new Set([...leftOut, ...one.tables.map(({ name }) => name)]);
  expect(tables.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  await database.drop();
});
