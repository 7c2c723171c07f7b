/** Several servers on one data directory, like replicas on one machine; and refs, which this server parses from git's files. */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SourceOnHttp, commitFiles, git, runGit } from './git-client.fixture.ts';
import { headRef, isPushableRef, readRef, readRefs } from './refs.ts';

let one: SourceOnHttp;
let other: SourceOnHttp;
beforeAll(async () => {
  one = await SourceOnHttp.start({});
  other = await SourceOnHttp.start({ dataDir: join(one.folder, 'data') });
});
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()]);
  expect([...one.errors, ...other.errors]).toEqual([]);
});

test('pushes through both servers at once lose nothing', async () => {
  const ref = await one.create('shared');
  const hosts = [one, other, one, other];
  const clones = await Promise.all(hosts.map((host) => host.clone(ref)));
  await Promise.all(clones.map((clone, number) => commitFiles(clone, { [`file-${number}`]: String(number) })));
  // Every client pulls and pushes until its commit is accepted.
  const rounds = clones.map(async (clone) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await runGit(clone, 'push', 'origin', 'main')).code === 0) return true;
      await git(clone, 'pull', '--quiet', '--rebase');
    }
    return false;
  });
  expect(await Promise.all(rounds)).toEqual([true, true, true, true]);
  const bare = one.gitDir(ref);
  expect(await git(bare, 'rev-list', '--count', 'main')).toBe('5');
  await git(bare, 'fsck', '--full', '--strict');
  expect(one.pushes.length + other.pushes.length).toBe(4);
});

test('of pushes to one ref at one time exactly one is taken, whoever takes it', async () => {
  const ref = await one.create('raced');
  const bare = one.gitDir(ref);
  const clones = await Promise.all([one, other, one, other].map((host) => host.clone(ref)));
  const shas = await Promise.all(clones.map((clone, number) => commitFiles(clone, { [`file-${number}`]: String(number) })));
  const head = (await readRef(bare, 'refs/heads/main')) ?? '';
  const pushed = clones.map(async (clone) => (await runGit(clone, 'push', 'origin', 'main')).code === 0);
  // And an update from a shell on the machine.
  const tree = await git(bare, 'rev-parse', 'main^{tree}');
  shas.push(await git(bare, 'commit-tree', tree, '-p', head, '-m', 'by hand'));
  pushed.push(runGit(bare, 'update-ref', 'refs/heads/main', shas.at(-1) ?? '', head).then(({ code }) => code === 0));
  const taken = await Promise.all(pushed);
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await readRef(bare, 'refs/heads/main')).toBe(shas[taken.indexOf(true)]);
});

test('refs are read as git sees them, packed or not', async () => {
  const ref = await one.create('packed-refs');
  const bare = one.gitDir(ref);
  const head = (await readRef(bare, 'refs/heads/main')) ?? '';
  const seen = async (): Promise<string[]> => {
    const listed = (await git(bare, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n');
    expect([...(await readRefs(bare))].map(([name, oid]) => `${name} ${oid}`)).toEqual(listed);
    return listed;
  };
  await git(bare, 'update-ref', 'refs/heads/a/b', head);
  await git(bare, 'tag', '--annotate', 'v1', '--message', 'Version 1', head);
  expect(await seen()).toHaveLength(3);
  await git(bare, 'pack-refs', '--all');
  expect([await seen(), await readRef(bare, 'refs/heads/a/b')]).toEqual([expect.any(Array), head]);
  // A loose file overrides the packed ref. A former folder name is available again.
  const next = await git(bare, 'commit-tree', `${head}^{tree}`, '-p', head, '-m', 'Next');
  await git(bare, 'update-ref', 'refs/heads/main', next);
  await git(bare, 'update-ref', '-d', 'refs/heads/a/b');
  await git(bare, 'update-ref', 'refs/heads/a', head);
  await git(bare, 'tag', '--delete', 'v1');
  expect(await seen()).toEqual([`refs/heads/a ${head}`, `refs/heads/main ${next}`]);
  expect([await readRef(bare, 'refs/heads/main'), await readRef(bare, 'refs/heads/a/b'), await headRef(bare)]).toEqual([
    next,
    undefined,
    'refs/heads/main',
  ]);
});

test('the names a push may use are the names that git allows', async () => {
  const part = fc.string({
    unit: fc.constantFrom('a', 'b', '.', '/', '-', '@', '{', '~', '^', ' ', '*', '\\', 'é', '.lock'),
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(part, async (name) => {
      const ref = `refs/heads/${name}`;
      expect([ref, isPushableRef(ref)]).toEqual([ref, (await runGit(one.folder, 'check-ref-format', ref)).code === 0]);
    }),
    { numRuns: 60, examples: [['a./a'], ['a.'], ['a../b']] },
  );
});
