/** Several servers on one data directory, with and without host git, as replicas on one machine are. */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SourceOnHttp, commitFiles, git, runGit } from './git-client.fixture.ts';
import { isPushableRef } from './ref-name.ts';
import { RefRefused, changeRefs } from './ref-transaction.ts';
import { readRef, readRefs } from './refs.ts';
import { zeroOid } from './pkt-line.ts';

/** Dozens of processes per test: a busy machine takes its time. */
let js: SourceOnHttp;
let native: SourceOnHttp;
beforeAll(async () => {
  js = await SourceOnHttp.start({ mode: 'js' });
  native = await SourceOnHttp.start({ mode: 'native', dataDir: join(js.folder, 'data') });
});
afterAll(async () => {
  await Promise.all([js.stop(), native.stop()]);
  expect([...js.errors, ...native.errors]).toEqual([]);
});

test('pushes through both servers at once lose nothing', async () => {
  const ref = await js.create('shared');
  const hosts = [js, native, js, native];
  const clones = await Promise.all(hosts.map((host) => host.clone(ref)));
  await Promise.all(clones.map((clone, number) => commitFiles(clone, { [`file-${number}`]: String(number) })));
  // Everybody pulls and pushes until their commit is in.
  const rounds = clones.map(async (clone) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      if ((await runGit(clone, 'push', 'origin', 'main')).code === 0) return true;
      await git(clone, 'pull', '--quiet', '--rebase');
    }
    return false;
  });
  expect(await Promise.all(rounds)).toEqual([true, true, true, true]);
  const bare = js.gitDir(ref);
  expect(await git(bare, 'rev-list', '--count', 'main')).toBe('5');
  await git(bare, 'fsck', '--full', '--strict');
  expect(js.pushes.length + native.pushes.length).toBe(4);
});

test('of changes to one ref at one time exactly one is taken, whoever makes it', async () => {
  const ref = await js.create('raced');
  const bare = js.gitDir(ref);
  const head = (await readRef(bare, 'refs/heads/main')) ?? '';
  const tree = await git(bare, 'rev-parse', 'main^{tree}');
  const shas = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => git(bare, 'commit-tree', tree, '-p', head, '-m', String(number))));
  const taken = await Promise.all(
    shas.map(async (to, number) => {
      if (number % 2 === 0) return (await runGit(bare, 'update-ref', 'refs/heads/main', to, head)).code === 0;
      return changeRefs(bare, [{ ref: 'refs/heads/main', from: head, to }]).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(RefRefused);
          return false;
        },
      );
    }),
  );
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await git(bare, 'rev-parse', 'main')).toBe(shas[taken.indexOf(true)]);
});

test('refs come and go as git sees them, packed or not', async () => {
  const ref = await js.create('packed-refs');
  const bare = js.gitDir(ref);
  const head = (await readRef(bare, 'refs/heads/main')) ?? '';
  const make = (name: string): Promise<void> => changeRefs(bare, [{ ref: name, from: zeroOid, to: head }]);
  const drop = (name: string): Promise<void> => changeRefs(bare, [{ ref: name, from: head, to: zeroOid }]);
  await make('refs/heads/a/b');
  await make('refs/tags/v1');
  await git(bare, 'pack-refs', '--all');
  await expect(make('refs/heads/a')).rejects.toBeInstanceOf(RefRefused);
  await expect(make('refs/heads/a/b/c')).rejects.toBeInstanceOf(RefRefused);
  await expect(make('refs/heads/a/b')).rejects.toBeInstanceOf(RefRefused);
  await drop('refs/heads/a/b');
  await make('refs/heads/a');
  await drop('refs/tags/v1');
  const seen = (await git(bare, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n');
  expect(seen).toEqual([...(await readRefs(bare))].map(([name, oid]) => `${name} ${oid}`));
  expect(seen).toEqual([`refs/heads/a ${head}`, `refs/heads/main ${head}`]);
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
      expect([ref, isPushableRef(ref)]).toEqual([ref, (await runGit(js.folder, 'check-ref-format', ref)).code === 0]);
    }),
    { numRuns: 60, examples: [['a./a'], ['a.'], ['a../b']] },
  );
});
