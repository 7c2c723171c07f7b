// @long: starts, ends and kills programs
/** The storm's checks are worth something only if they see what they are for: each fault is planted in a platform that runs, and found. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { teamCreate } from '@slipway/contract/team.ts';
import { RawClient } from '@slipway/kafka/raw-client.fixture.ts';
import { releaseGarbageLock, tryGarbageLock } from '@slipway/registry/garbage/garbage.sql.ts';
import { freePort } from '#testing/free-port.ts';
import { removeData } from '../program.ts';
import { brokerPassword } from '../streaming/broker-state.ts';
import { accountChecks, fsckChecks, hashChecks, imageChecks, ownerChecks, pushChecks, secretChecks } from './engine-checks.ts';
import { Journal } from './journal.ts';
import { leftovers, remember } from './leftovers.ts';
import { manifestChecks } from './manifest-checks.ts';
import { randomOf } from '#testing/storm/random.ts';
import { activeWork, pipelineChecks, serviceChecks, settingsChecks, type Checked } from './row-checks.ts';
import { makeReader, secretValueChecks } from './secret-values.ts';
import { StormApps } from './storm-apps.ts';
import { StormClient } from './storm-client.ts';
import { databaseRowChecks, StormedDatabase } from './stormed-database.ts';
import { StormedPlatform, until } from './stormed-platform.ts';
import { messageChecks, streamingChecks } from './streaming-checks.ts';
import { StormedStreaming } from './stormed-streaming.ts';
import { Writers } from './writers.ts';

type Check = (checked: Checked) => Promise<string[]>;
const checks: readonly Check[] = [
  pushChecks,
  activeWork,
  pipelineChecks,
  serviceChecks,
  settingsChecks,
  ownerChecks,
  secretChecks,
  accountChecks,
  imageChecks,
  fsckChecks,
  hashChecks,
  manifestChecks,
  streamingChecks,
  messageChecks,
  databaseRowChecks,
];
/** Kinds of writes that must be acknowledged before the tests plant faults. */
const needed = [
  'settings',
  'push',
  'secret.group',
  'secret.version',
  'robot',
  'token',
  'image',
  'team',
  'rotation',
  'topic',
  'message',
  'row',
];
const PATIENCE_MS = 120_000;

let platform: StormedPlatform;
let client: StormClient;
let checked: Checked;
let app = '';

beforeAll(async () => {
  const workDir = await mkdtemp(join(tmpdir(), 'slipway-storm-test-'));
  const dataDir = join(workDir, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  const prefix = `stormtest${process.pid.toString(36)}`;
  const kafkaPorts = [await freePort(), await freePort()] as const;
  platform = new StormedPlatform({ workDir, dataDir, port: await freePort(), ingressPort: await freePort(), kafkaPorts, prefix });
  checked = { platform, journal: new Journal(join(workDir, 'journal.jsonl'), prefix) };
  client = new StormClient(platform, checked.journal);
  const apps = new StormApps(client);
  const streaming = new StormedStreaming(client, randomOf(6));
  const writers = new Writers(client, apps, streaming, randomOf(5));
  await platform.start();
  client.open();
  await apps.makeTeam();
  await streaming.furnish(apps.team);
  const database = new StormedDatabase(client, streaming.app);
  await database.furnish(await makeReader(client, apps.team));
  await database.rows();
  await apps.make();
  app = apps.live[0]?.id ?? '';
  while (needed.some((kind) => checked.journal.of(kind, 'acknowledged').length === 0)) {
    await writers.one();
    if ((await activeWork(checked)).length === 0) for (const one of apps.live) one.isBusy = false;
  }
  const good = async () => {
    const found: string[] = [];
    for (const check of checks) found.push(...(await check(checked)));
    return found;
  };
  expect(await until(good, PATIENCE_MS)).toEqual([]);
}, 300_000);

afterAll(async () => {
  await platform.disconnect();
  await platform.end('SIGINT');
  await removeData(platform.place.dataDir);
  await rm(platform.place.workDir, { recursive: true, force: true });
});

describe('of the rows', () => {
  const oneNeeded = `(repository, blob_digest) in (select repository, blob_digest from registry_manifest_blob limit 1)`;
  const oneBlob = oneNeeded.replace('blob_digest', 'digest');
  const settings = `(select id from pipeline where type = 'UpdateService' order by created_at desc limit 1)`;
  test.each<[string, string, Check, RegExp]>([
    ['a pipeline is lost', `delete from pipeline where id = ${settings}`, pipelineChecks, /settings .* was acknowledged and is not there/],
    [
      'a pipeline is doubled',
      `with one as (insert into pipeline (id, type, subject, trigger, created_by, created_by_name)
         select 'twice', type, subject, trigger, created_by, created_by_name from pipeline where id = ${settings})
       insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, input, created_by, created_by_name)
         select 'twice', 'twice', 1, type, subject, 'COMPLETED', input, created_by, created_by_name
         from pipeline_run where pipeline_id = ${settings}`,
      pipelineChecks,
      /1 × UpdateService .* nobody got an answer for/,
    ],
    [
      'an end is reported twice',
      `insert into activity (id, at, type, reason, level, message, actor_id, actor_name, origin, outcome, pipeline_id)
         select id || 'x', at, type, reason, level, message, actor_id, actor_name, origin, outcome, pipeline_id
         from activity where pipeline_id = ${settings}`,
      pipelineChecks,
      /2 entries of its start and 2 of its end/,
    ],
    ['an undo failed', `update pipeline_step set undo_failed_at = now()`, pipelineChecks, /whose undo failed/],
    ['a run does not end', `update pipeline_run set state = 'QUEUED' where type = 'CreateTeam'`, activeWork, /CreateTeam .* does not end/],
    ['a route is missing', `update service set routed = '{}'`, serviceChecks, /is to serve, and {2}is routed/],
    [
      'two revisions serve',
      `update service set serving = serving || '{other}', routed = routed || '{other}'`,
      serviceChecks,
      /served by 2/,
    ],
    [
      'what serves is not healthy',
      `update revision set status = 'PENDING' where status = 'HEALTHY'`,
      serviceChecks,
      /serves and is PENDING/,
    ],
    [
      'an instance has no process',
      `insert into instance (id, revision_id, state, since, node)
         select 'ghost', id, 'READY', now(), 'n' from revision where status = 'HEALTHY' limit 1`,
      serviceChecks,
      /instances are due/,
    ],
    [
      'settings are others',
      `update service set spec = jsonb_set(spec, '{resources,memoryMegabytes}', '77')`,
      settingsChecks,
      /settings of .* are not those/,
    ],
    [
      'a project has no app',
      `insert into registry_project (name, owner, created_at) values ('ghost', 'app:ghost', now())`,
      ownerChecks,
      /project ghost has no app/,
    ],
    ['an app stays half deleted', `update app set state = 'DELETING'`, ownerChecks, /stays DELETING/],
    ['a version is lost', `delete from secret_version where version = 1`, secretChecks, /Version 1 .* was acknowledged and is not there/],
    ['a version has no entry', `delete from activity where type = 'secretVersionCreate'`, secretChecks, /entries in the activity/],
    ['a robot is lost', `delete from registry_robot where name like 'robot-%'`, accountChecks, /robot .* is not there/],
    ['a token is lost', `update api_token set revoked_at = now()`, accountChecks, /token .* is not there/],
    [
      'a token is doubled',
      `insert into api_token (id, identity_id, name, hash, scopes, expires_at)
         select id || 'x', identity_id, name, hash || '\\x00', scopes, expires_at from api_token`,
      accountChecks,
      /there twice/,
    ],
    ['a team is lost', `delete from team where id like '%-team-%'`, accountChecks, /team .* is not there/],
    ['a rotation is lost', `delete from key_rotation`, accountChecks, /There are 0 rotations/],
    ['a tag is lost', `delete from registry_tag where name like 'storm-%'`, imageChecks, /image .* is not there/],
    ['a blob is short', `update registry_blob set size_bytes = size_bytes + 1`, imageChecks, /of its \d+ bytes/],
    ['a link is lost', `delete from registry_blob_link where ${oneBlob}`, manifestChecks, /names sha256:\w+, which has no link to/],
    [
      'a blob is no longer kept',
      `delete from registry_manifest_blob where ${oneNeeded}`,
      manifestChecks,
      /garbage collection does not keep/,
    ],
    [
      'a blob is kept that nobody names',
      `insert into registry_manifest_blob (repository, manifest_digest, blob_digest)
         select repository, digest, 'sha256:${'0'.repeat(64)}' from registry_manifest limit 1`,
      manifestChecks,
      /which it does not name/,
    ],
  ])('%s', async (_name, plant, check, found) => {
    await platform.rows('begin');
    try {
      await platform.rows(plant);
      expect((await check(checked)).join('\n')).toMatch(found);
    } finally {
      await platform.rows('rollback');
    }
  });
});

test('a write whose answer was lost is repeated with its key, and is done once', async () => {
  const real = globalThis.fetch;
  const lost = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async (...asked) => {
    await (await real(...asked)).arrayBuffer();
    throw new TypeError('fetch failed');
  });
  const name = `${platform.place.prefix}-repeated`;
  const body = { id: name, displayName: name, ownerIds: ['platform-automation'] };
  const { entry } = await client.write('team', teamCreate, { body }, { name, type: 'CreateTeam', subject: `team:${name}` });
  lost.mockRestore();
  expect(entry.fate).toBe('unanswered');
  await client.repeat();
  expect(entry).toMatchObject({ fate: 'acknowledged', isRepeated: true, pipelineId: expect.any(String) });
  expect(await until(async () => [...(await activeWork(checked)), ...(await pipelineChecks(checked))], PATIENCE_MS)).toEqual([]);
});

describe('of the files and processes', () => {
  test('a repository is lost', async () => {
    const repository = join(platform.place.dataDir, 'git', app, `${app}.git`);
    await rename(repository, `${repository}.away`);
    const found = await ownerChecks(checked);
    await rename(`${repository}.away`, repository);
    expect(found).toContain(`The repository ${app}/${app}.git is not there`);
  });

  test('a push is lost', async () => {
    const { journal } = checked;
    journal.settle(journal.send('push', { app, name: 'f'.repeat(40) }), 'acknowledged');
    const found = await pushChecks(checked);
    journal.entries.pop();
    expect(found).toEqual([expect.stringMatching(/The push of f{40} .* is not in its history/)]);
  });

  test('an object is damaged', async () => {
    const directory = join(platform.place.dataDir, 'git', app, `${app}.git`, 'objects/ff');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'e'.repeat(38)), 'nonsense');
    const found = await fsckChecks(checked);
    await rm(join(directory, 'e'.repeat(38)));
    expect(found).toEqual([expect.stringContaining('git fsck')]);
  });

  test('a topic is there that nobody wants, and a rule is lost', async () => {
    const { dataDir, kafkaPorts } = platform.place;
    const admin = await RawClient.signedIn(kafkaPorts[0], 'slipway', await brokerPassword(platform.database, dataDir));
    const topics = [{ name: 'ghost', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }];
    await admin.call('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false });
    const found = await streamingChecks(checked);
    await admin.call('DeleteTopics', 5, { topicNames: ['ghost'], timeoutMs: 1000 });
    admin.close();
    expect(found).toEqual([expect.stringMatching(/^topics: ghost .* is there, and nobody wants it/)]);
  });

  test('a message is lost', async () => {
    const { journal } = checked;
    journal.settle(journal.send('message', { name: 'never-sent' }), 'acknowledged');
    const found = await messageChecks(checked);
    journal.entries.pop();
    expect(found).toEqual(['The message never-sent was acknowledged and is not on its topic']);
  });

  test('a row is lost', async () => {
    const { journal } = checked;
    journal.settle(journal.send('row', { name: 'never-sent' }), 'acknowledged');
    const found = await databaseRowChecks(checked);
    journal.entries.pop();
    expect(found).toEqual(['The row never-sent was acknowledged and is not in its database']);
  });

  test('a blob holds something else', async () => {
    const root = join(platform.place.dataDir, 'registry/blobs/sha256');
    const [prefix = ''] = await readdir(root);
    const [hex = ''] = await readdir(join(root, prefix));
    const bytes = await readFile(join(root, prefix, hex));
    await writeFile(
      join(root, prefix, hex),
      bytes.map((byte) => byte ^ 1),
    );
    const found = await hashChecks(checked);
    await writeFile(join(root, prefix, hex), bytes);
    expect(found).toEqual([`The blob sha256:${hex} holds something else`]);
  });

  test('a file of a manifest is lost, and a file without a row is never collected', async () => {
    const root = join(platform.place.dataDir, 'registry/blobs/sha256');
    const at = (digest: string): string => join(root, digest.slice(7, 9), digest.slice(7));
    const [needed] = await platform.rows<{ blob: string }>('select blob_digest as blob from registry_manifest_blob limit 1');
    const blob = needed?.blob ?? '';
    // Keeps the platform from adopting the file first.
    await tryGarbageLock(platform.database);
    const orphan = `sha256:${'f'.repeat(64)}`;
    await mkdir(dirname(at(orphan)), { recursive: true });
    await writeFile(at(orphan), 'nonsense');
    await utimes(at(orphan), 0, 0);
    await rename(at(blob), `${at(blob)}.away`);
    const found = await manifestChecks(checked);
    await rename(`${at(blob)}.away`, at(blob));
    await rm(at(orphan));
    await releaseGarbageLock(platform.database);
    expect(found).toContainEqual(expect.stringMatching(`names ${blob}, which has no file`));
    expect(found).toContain(`The file of ${orphan} has no row, and is not collected`);
    expect(await manifestChecks(checked)).toEqual([]);
  });

  test('a secret reads otherwise', async () => {
    const reader = await makeReader(client, `${platform.place.prefix}-home`);
    expect(await secretValueChecks(checked, client, reader)).toEqual([]);
    const [made] = checked.journal.of('secret.version', 'acknowledged');
    const reported = made?.reported;
    Object.assign(made ?? {}, { name: 'another' });
    expect(await secretValueChecks(checked, client, reader)).toEqual([expect.stringContaining(`Version ${reported} of the secret`)]);
  });

  test('an instance runs that nobody wants', async () => {
    const revision = platform.instances()[0]?.revision ?? '';
    const env = { SLIPWAY_SERVICE: app, SLIPWAY_REVISION: revision };
    const stray = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env, stdio: 'ignore' });
    const found = await until(async () => ((await serviceChecks(checked)).length > 0 ? [] : ['not seen']), 10_000);
    stray.kill('SIGKILL');
    expect(found).toEqual([]);
  });

  test('a platform that runs is all left over', () => {
    const found = leftovers(platform, remember(platform)).join('\n');
    expect(found).toMatch(/outlived the platform/);
    expect(found).toMatch(/The instance \d+ of/);
    expect(found).toMatch(/still uses the data directory/);
    expect(found).toMatch(/in an instance's network/);
  });
});
