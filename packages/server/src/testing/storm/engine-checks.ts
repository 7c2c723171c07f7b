/** Checks what the engines hold against the journal and the owners: repositories, images, secrets, accounts and keys. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runGit } from '@slipway/git/git-client.fixture.ts';
import type { Entry } from './journal.ts';
import type { Checked } from './row-checks.ts';
import { secretGroup } from './writers.ts';

const list = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);
const missing = <Item>(wanted: Iterable<Item>, there: ReadonlySet<Item>): Item[] => [...wanted].filter((item) => !there.has(item));
const namesOf = async ({ platform }: Checked, text: string): Promise<Set<string>> =>
  new Set((await platform.rows<{ name: string }>(text)).map(({ name }) => name));
/** Whether so many are there as were made: those that were not acknowledged may be, too. */
const isBetween = (count: number, made: readonly Entry[]): boolean =>
  count >= made.filter(({ fate }) => fate === 'acknowledged').length && count <= made.filter(({ fate }) => fate !== 'refused').length;

/** Nothing is there without its app, and no app without what belongs to it. */
export const ownerChecks = async (checked: Checked): Promise<string[]> => {
  const { dataDir } = checked.platform.place;
  const apps = await namesOf(checked, 'select id as name from app');
  const created = await namesOf(checked, `select id as name from app where state = 'ACTIVE'`);
  const stuck = await namesOf(checked, `select id || ' stays ' || state as name from app where state not in ('ACTIVE', 'NOT_CREATED')`);
  const projects = await namesOf(checked, `select name from registry_project where owner like 'app:%'`);
  const owners = (await list(join(dataDir, 'git'))).filter((name) => !name.startsWith('.'));
  const held = await Promise.all(owners.map(async (owner) => (await list(join(dataDir, 'git', owner))).map((name) => `${owner}/${name}`)));
  const repositories = new Set(held.flat());
  const wanted = await namesOf(
    checked,
    `select distinct app_id || '/' || repository_name || '.git' as name from service where repository_name is not null`,
  );
  return [
    ...[...stuck].map((text) => `The app ${text}`),
    ...missing(projects, apps).map((name) => `The project ${name} has no app`),
    ...missing(created, projects).map((name) => `The app ${name} has no project`),
    ...[...repositories].filter((name) => !apps.has(name.split('/')[0] ?? '')).map((name) => `The repository ${name} has no app`),
    ...missing(wanted, repositories).map((name) => `The repository ${name} is not there`),
  ];
};

interface GroupRow {
  readonly app: string;
  readonly last: number;
  readonly versions: number[];
  readonly entries: number;
}
export const secretChecks = async ({ platform, journal }: Checked): Promise<string[]> => {
  const groups = await platform.rows<GroupRow>(
    `
    select app_id as app, last_version as last,
      array(select version from secret_version where group_id = secret_group.id order by version) as versions,
      (select count(*)::int from activity
        where activity.app_id = secret_group.app_id and type in ('secretGroupCreate', 'secretVersionCreate')) as entries
    from secret_group where name = $1`,
    [secretGroup],
  );
  return groups.flatMap(({ app, last, versions, entries }) => {
    const made = [...journal.of('secret.group'), ...journal.of('secret.version')].filter((entry) => entry.app === app);
    const reported = made.filter(({ fate }) => fate === 'acknowledged').map((entry) => Number(entry.reported));
    return [
      ...(versions.every((version, index) => version === index + 1) && versions.length === last
        ? []
        : [`The secret of ${app} has gaps: ${versions.join()} of ${last}`]),
      ...missing(reported, new Set(versions)).map(
        (version) => `Version ${version} of the secret of ${app} was acknowledged and is not there`,
      ),
      ...(new Set(reported).size === reported.length ? [] : [`A version of the secret of ${app} was acknowledged twice`]),
      ...(isBetween(versions.length, made) ? [] : [`The secret of ${app} has ${versions.length} versions, more or fewer than were sent`]),
      ...(entries === versions.length
        ? []
        : [`The secret of ${app} has ${versions.length} versions and ${entries} entries in the activity`]),
    ];
  });
};

/** Returns the faults of entities that are created and removed by name. `keyOf` returns the name that the rows use. */
const setFaults = (
  checked: Checked,
  kind: string,
  there: ReadonlySet<string>,
  keyOf: (entry: Entry) => string,
  isOwned: (entry: Entry) => boolean = () => true,
): string[] => {
  const { journal } = checked;
  const removed = journal.of(`${kind}.delete`, 'acknowledged', 'unanswered');
  const touched = new Set(removed.map(keyOf));
  const gone = removed.filter(({ fate }) => fate === 'acknowledged').map(keyOf);
  const made = journal.of(kind, 'acknowledged').filter(isOwned).map(keyOf);
  return [
    ...made.filter((key) => !touched.has(key) && !there.has(key)).map((key) => `The ${kind} ${key} was acknowledged and is not there`),
    ...gone.filter((key) => there.has(key)).map((key) => `The ${kind} ${key} was deleted and is there`),
  ];
};

/** Teams, robots, tokens, key rotations. */
export const accountChecks = async (checked: Checked): Promise<string[]> => {
  const { platform, journal } = checked;
  const apps = await namesOf(checked, 'select id as name from app');
  const teams = await namesOf(checked, `select id as name from team where state = 'ACTIVE'`);
  const robots = await namesOf(checked, `select project || '/' || name as name from registry_robot where name like 'robot-%'`);
  const tokens = await namesOf(checked, 'select id as name from api_token where revoked_at is null');
  const [keys] = await platform.rows<{ rotations: number; failed: number }>(
    `select count(*)::int as rotations, count(*) filter (where state <> 'COMPLETED')::int as failed from key_rotation`,
  );
  const twice = await platform.rows<{ name: string }>(`select name from api_token where name like $1 group by name having count(*) > 1`, [
    `${platform.place.prefix}-%`,
  ]);
  return [
    ...setFaults(checked, 'team', teams, ({ name }) => name ?? ''),
    ...setFaults(
      checked,
      'robot',
      robots,
      ({ app, name }) => `${app}/${name}`,
      ({ app }) => apps.has(app ?? ''),
    ),
    ...setFaults(checked, 'token', tokens, ({ kind, name, reported }) => (kind === 'token' ? reported : name) ?? ''),
    ...twice.map(({ name }) => `The token ${name} is there twice`),
    ...(isBetween(keys?.rotations ?? 0, journal.of('rotation')) ? [] : [`There are ${keys?.rotations} rotations of the key`]),
    ...(keys?.failed ? [`${keys.failed} rotations of the key did not complete`] : []),
  ];
};

interface SourceRow {
  readonly app: string;
  readonly built: string | null;
  readonly active: boolean;
}
const sourceRows = ({ platform }: Checked): Promise<SourceRow[]> =>
  platform.rows<SourceRow>(
    `select app_id as app, built_commit as built, active from service where repository_name is not null and state = 'ACTIVE'`,
  );

export const pushChecks = async (checked: Checked): Promise<string[]> => {
  const { journal, platform } = checked;
  const faults = (await sourceRows(checked)).map(async ({ app, built, active }) => {
    const repository = join(platform.place.dataDir, 'git', app, `${app}.git`);
    const history = (await runGit(repository, 'rev-list', 'main')).stdout.split('\n');
    const pushed = journal.of('push', 'acknowledged').filter((entry) => entry.app === app);
    return [
      ...missing(
        pushed.map(({ name }) => name ?? ''),
        new Set(history),
      ).map((commit) => `The push of ${commit} to ${app} was acknowledged and is not in its history`),
      ...(!active || history[0] === built ? [] : [`The head of ${app} is ${history[0]}, and ${built} was built`]),
    ];
  });
  return (await Promise.all(faults)).flat();
};

export const fsckChecks = async (checked: Checked): Promise<string[]> => {
  const faults: string[] = [];
  for (const { app } of await sourceRows(checked)) {
    const run = await runGit(join(checked.platform.place.dataDir, 'git', app, `${app}.git`), 'fsck', '--full', '--strict', '--no-dangling');
    if (run.code !== 0) faults.push(`git fsck of ${app}: ${run.stdout} ${run.stderr}`);
  }
  return faults;
};

const fileOf = (dataDir: string, digest: string): string => {
  const [algorithm = '', hex = ''] = digest.split(':');
  return join(dataDir, 'registry/blobs', algorithm, hex.slice(0, 2), hex);
};

/** Acknowledged tags with their digest, and every blob that a manifest needs, by its size. */
export const imageChecks = async (checked: Checked): Promise<string[]> => {
  const { journal, platform } = checked;
  const tags = await namesOf(checked, `select repository || ':' || name || '@' || digest as name from registry_tag`);
  const repositories = await namesOf(checked, 'select name from registry_repository');
  const pushed = journal.of('image', 'acknowledged').filter(({ app }) => repositories.has(`${app}/${app}`));
  const blobs = await platform.rows<{ digest: string; size: number }>(
    `select digest, size_bytes::int as size from registry_blob where exists (select from registry_manifest_blob where blob_digest = digest)
       or exists (select from registry_manifest where registry_manifest.digest = registry_blob.digest)`,
  );
  const sizes = await Promise.all(blobs.map(({ digest }) => stat(fileOf(platform.place.dataDir, digest)).catch(() => undefined)));
  return [
    ...missing(
      pushed.map(({ app, name, reported }) => `${app}/${app}:${name}@${reported}`),
      tags,
    ).map((tag) => `The image ${tag} was acknowledged and is not there`),
    ...blobs.flatMap(({ digest, size }, index) =>
      sizes[index]?.size === size ? [] : [`The blob ${digest} has ${sizes[index]?.size ?? 'no'} of its ${size} bytes`],
    ),
  ];
};

/** Every file of the store is what its name says. */
export const hashChecks = async ({ platform }: Checked): Promise<string[]> => {
  const root = join(platform.place.dataDir, 'registry/blobs/sha256');
  const faults: string[] = [];
  for (const prefix of await list(root)) {
    for (const hex of await list(join(root, prefix))) {
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(root, prefix, hex)), hash);
      if (hash.digest('hex') !== hex) faults.push(`The blob sha256:${hex} holds something else`);
    }
  }
  return faults;
};
