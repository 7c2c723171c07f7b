// @long: tries an engine by itself, which the tests of modules use, too
/** Real git clients against the source host. */
import { randomBytes } from 'node:crypto';
import { chmod, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SourceOnHttp, commitFiles, git, importCommits, runGit } from './git-client.fixture.ts';

describe.concurrent('git clients', () => {
  let host: SourceOnHttp;
  beforeAll(async () => {
    host = await SourceOnHttp.start({
      limits: { maxPackBytes: 4 * 1024 * 1024, maxObjectBytes: 2 * 1024 * 1024, tree: { maxBytes: 1024 * 1024, maxFiles: 100 } },
      onPushMessage: (pushed) => [`Slipway: building and deploying ${pushed.branch}…`],
    });
  });
  afterAll(async () => {
    await host.stop();
    expect(host.errors).toEqual([]);
  });
  const fsck = (ref: { owner: string; name: string }): Promise<string> => git(host.gitDir(ref), 'fsck', '--full', '--strict');

  test('clone, push and an incremental pull', async () => {
    const ref = await host.create('round-trip');
    const [ada, ben] = [await host.clone(ref), await host.clone(ref)];
    expect(await readFile(join(ben, 'README.md'), 'utf8')).toBe('# berth\n');
    await importCommits(
      ada,
      Array.from({ length: 40 }, (_, number) => ({ [`src/file-${number}.js`]: `${number}\n` })),
    );
    const sha = await commitFiles(ada, { 'large.bin': randomBytes(300_000), 'src/a.js': '1\n' });
    const pushed = await runGit(ada, 'push', 'origin', 'main');
    expect(pushed).toMatchObject({ code: 0 });
    expect(pushed.stderr).toContain('remote: Slipway: building and deploying main…');
    await git(ben, 'pull', '--quiet');
    expect(await git(ben, 'rev-parse', 'HEAD')).toBe(sha);
    expect(await git(ben, 'rev-list', '--count', 'HEAD')).toBe('42');
    expect((await readFile(join(ben, 'large.bin'))).equals(await readFile(join(ada, 'large.bin')))).toBe(true);
    await git(ben, 'repack', '-adq');
    await commitFiles(ada, { 'src/a.js': 'changed\n' });
    await git(ada, 'push', '--quiet');
    await git(ben, 'pull', '--quiet');
    // One commit, two trees, one file: only new objects were transferred.
    expect(await git(ben, 'count-objects')).toMatch(/^4 objects/);
    await fsck(ref);
    await git(ben, 'fsck', '--full', '--strict');
  });

  test('many objects in one push stay one pack, and clone again', async () => {
    const ref = await host.create('many');
    const ada = await host.clone(ref);
    const lines = Array.from({ length: 200 }, (_, number) => `line ${number} of a file that deltas well\n`);
    const version = (round: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 20 }, (_, number) => [`dir-${number % 3}/file-${number}.txt`, `${round}\n${lines.slice(number).join('')}`]),
      );
    await importCommits(
      ada,
      Array.from({ length: 12 }, (_, round) => version(round)),
    );
    const packs = async (): Promise<number> =>
      Number(/^packs: (\d+)$/m.exec(await git(host.gitDir(ref), 'count-objects', '--verbose'))?.[1]);
    const before = await packs();
    await git(ada, 'push', '--quiet');
    expect(await packs()).toBe(before + 1);
    const ben = await host.clone(ref);
    expect(await git(ben, 'rev-parse', 'HEAD^{tree}')).toBe(await git(ada, 'rev-parse', 'HEAD^{tree}'));
    await git(ben, 'fsck', '--full', '--strict');
    await fsck(ref);
  });

  test('tags travel both ways, and go', async () => {
    const ref = await host.create('tags');
    const [ada, ben] = [await host.clone(ref), await host.clone(ref)];
    await commitFiles(ada, { a: '1' });
    await git(ada, 'tag', 'light');
    await git(ada, 'tag', '--annotate', 'v1', '--message', 'Version 1');
    await git(ada, 'push', '--quiet', 'origin', 'main', 'light', 'v1');
    await git(ben, 'pull', '--quiet');
    expect(await git(ben, 'tag')).toBe('light\nv1');
    expect(await git(ben, 'cat-file', '-t', 'v1')).toBe('tag');
    await git(ada, 'push', '--quiet', '--delete', 'origin', 'light');
    expect(await git(ben, 'ls-remote', '--tags', '--refs', 'origin')).toMatch(/^\S+\trefs\/tags\/v1$/);
  });

  test('branches are made, forced and deleted, the default branch stays', async () => {
    const ref = await host.create('branches');
    const ada = await host.clone(ref);
    const first = await git(ada, 'rev-parse', 'HEAD');
    await commitFiles(ada, { a: '1' });
    await git(ada, 'push', '--quiet', 'origin', 'main', 'main:topic/one', 'main:topic/two');
    const before = host.pushesTo(ref).length;
    await git(ada, 'push', '--quiet', '--force', 'origin', `${first}:main`, `${first}:topic/one`);
    expect(host.pushesTo(ref).slice(before)).toMatchObject([{ branch: 'main', commit: first, pusher: 'user-writer' }]);
    await git(ada, 'push', '--quiet', '--delete', 'origin', 'topic/one', 'topic/two');
    // A former folder name is available for a branch.
    await git(ada, 'push', '--quiet', 'origin', 'main:topic');
    expect((await runGit(ada, 'push', 'origin', 'main:topic/below')).code).not.toBe(0);
    const refused = await runGit(ada, 'push', 'origin', '--delete', 'main');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('[remote rejected]');
    expect((await runGit(ada, 'push', 'origin', 'main:refs/pull/1/head')).stderr).toContain('[remote rejected]');
    expect(await git(ada, 'ls-remote', 'origin')).toBe(
      [`${first}\tHEAD`, `${first}\trefs/heads/main`].join('\n') + `\n${await git(ada, 'rev-parse', 'main')}\trefs/heads/topic`,
    );
  });

  test('an atomic push moves all refs or none', async () => {
    const ref = await host.create('atomic');
    const [ada, ben] = [await host.clone(ref), await host.clone(ref)];
    await commitFiles(ben, { b: '1' });
    await git(ben, 'push', '--quiet', 'origin', 'main:taken');
    await commitFiles(ada, { a: '1' });
    const refused = await runGit(ada, 'push', '--atomic', 'origin', 'main', 'main:taken', 'main:free');
    expect(refused.code).not.toBe(0);
    expect(await git(ada, 'ls-remote', 'origin', 'refs/heads/free')).toBe('');
    await git(ada, 'push', '--quiet', '--atomic', 'origin', 'main', 'main:free');
    expect(await git(ada, 'ls-remote', 'origin', 'refs/heads/free')).not.toBe('');
  });

  test('of several pushes at once one wins and the others are refused', async () => {
    const ref = await host.create('contended');
    const clones = await Promise.all([1, 2, 3, 4].map(() => host.clone(ref)));
    const shas = await Promise.all(clones.map((clone, number) => commitFiles(clone, { [`file-${number}`]: String(number) })));
    const runs = await Promise.all(clones.map((clone) => runGit(clone, 'push', 'origin', 'main')));
    const winners = shas.filter((_, number) => runs[number]?.code === 0);
    expect(winners).toHaveLength(1);
    expect((await host.source.repository(ref))?.headCommit).toBe(winners[0]);
    expect(host.pushesTo(ref).map((push) => push.commit)).toEqual(winners);
    for (const run of runs) if (run.code !== 0) expect(run.stderr).toMatch(/\[(remote )?rejected\]/);
    await fsck(ref);
  });

  test('who may not is refused in words', async () => {
    const ref = await host.create('guarded');
    const ada = await host.clone(ref);
    await commitFiles(ada, { a: '1' });
    const wrong = await runGit(ada, 'ls-remote', host.url(ref, 'wrong'));
    expect(wrong.stderr).toContain('Authentication failed');
    expect((await runGit(ada, 'push', host.url(ref, 'reader'), 'main')).stderr).toContain('403');
    expect((await runGit(ada, 'ls-remote', host.url(ref, 'reader'))).code).toBe(0);
    expect((await runGit(ada, 'ls-remote', host.url({ owner: 'berth', name: 'never' }))).stderr).toContain('not found');
    await host.create('hidden-one');
    expect((await runGit(ada, 'ls-remote', host.url({ owner: 'berth', name: 'hidden-one' }))).stderr).toContain('not found');
  });

  test('a push beyond the limit is refused with the reason', async () => {
    const ref = await host.create('large');
    const ada = await host.clone(ref);
    await commitFiles(ada, {
      'a.bin': randomBytes(1.5 * 1024 * 1024),
      'b.bin': randomBytes(1.5 * 1024 * 1024),
      'c.bin': randomBytes(1.5e6),
    });
    const run = await runGit(ada, 'push', 'origin', 'main');
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain(
      'remote unpack failed: a push may have up to 4 MB: push fewer commits at a time, or keep large files elsewhere',
    );
    expect((await host.source.repository(ref))?.headCommit).not.toBe(await git(ada, 'rev-parse', 'HEAD'));
    expect(await git(host.gitDir(ref), 'count-objects', '--verbose')).toMatch(/^garbage: 0$/m);
  });

  test('a file beyond the limit is refused by its name, however small it is packed; one at the limit is taken', async () => {
    const ref = await host.create('large-file');
    const ada = await host.clone(ref);
    const atLimit = await commitFiles(ada, { 'at-limit.bin': Buffer.alloc(2 * 1024 * 1024) });
    await git(ada, 'push', '--quiet');
    expect((await host.source.repository(ref))?.headCommit).toBe(atLimit);
    const deep = 'assets/größe 1/large file.bin';
    for (const content of [Buffer.alloc(3 * 1024 * 1024, 'x'), randomBytes(3 * 1024 * 1024)]) {
      await commitFiles(ada, { [deep]: content, 'other.txt': 'beside it' });
      // Removed again, but still part of the history.
      await commitFiles(ada, { [deep]: 'small' });
      const run = await runGit(ada, 'push', 'origin', 'main:topic', 'main');
      expect(run.code).not.toBe(0);
      expect(run.stderr).toContain(`${deep} has 3 MB. A file may have up to 2 MB.`);
      await git(ada, 'reset', '--quiet', '--hard', atLimit);
    }
    expect(await git(ada, 'ls-remote', '--heads', 'origin')).toBe(`${atLimit}\trefs/heads/main`);
    expect(await git(host.gitDir(ref), 'count-objects', '--verbose')).toMatch(/^garbage: 0$/m);
    await fsck(ref);
  });

  test('a push of Git LFS pointers warns that the files are not stored', async () => {
    const ref = await host.create('pointers');
    const ada = await host.clone(ref);
    await commitFiles(ada, { '.gitattributes': '*.txt text\n# *.bin filter=lfs\n' });
    expect((await runGit(ada, 'push', 'origin', 'main')).stderr).not.toContain('LFS');
    // Like a user who has only the files' pointers and no LFS client.
    await commitFiles(ada, { '.gitattributes': '*.bin diff=lfs merge=lfs -text\n*.psd -text filter=lfs\n' });
    const run = await runGit(ada, 'push', 'origin', 'main');
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toContain('remote: .gitattributes marks files for Git LFS. This platform stores no LFS objects');
  });

  test('a push that another client could not check out is refused', async () => {
    const ref = await host.create('hostile');
    const ada = await host.clone(ref);
    const blob = await git(ada, 'rev-parse', 'HEAD:README.md');
    await writeFile(join(ada, 'tree'), Buffer.concat([Buffer.from('100644 .GIT\0'), Buffer.from(blob, 'hex')]));
    const tree = await git(ada, 'hash-object', '-w', '--literally', '-t', 'tree', 'tree');
    const commit = await git(ada, 'commit-tree', tree, '-m', 'Hide a hook');
    const run = await runGit(ada, 'push', 'origin', `${commit}:refs/heads/hostile`);
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(/\.git|unpack/);
    expect(await git(ada, 'ls-remote', 'origin', 'hostile')).toBe('');
    expect((await runGit(host.gitDir(ref), 'cat-file', '-e', tree)).code).not.toBe(0);
  });

  test('a build reads files with their modes, without symbolic links', async () => {
    const ref = await host.create('modes');
    const ada = await host.clone(ref);
    await symlink('/etc/passwd', join(ada, 'link'));
    await writeFile(join(ada, 'run.sh'), '#!/bin/sh\n');
    await chmod(join(ada, 'run.sh'), 0o755);
    const sha = await commitFiles(ada, {});
    await git(ada, 'push', '--quiet');
    const files = await host.source.readTree(ref, sha);
    expect(files.map((file) => [file.path, file.isExecutable])).toEqual([
      ['README.md', false],
      ['run.sh', true],
      ['src/server.js', false],
    ]);
    expect(host.logged).toContainEqual(expect.objectContaining({ level: 'warn', context: expect.objectContaining({ skipped: ['link'] }) }));
  });

  test('a tree too large to build is refused', async () => {
    const ref = await host.create('too-large');
    const ada = await host.clone(ref);
    // Zeros are small in the pack but large in the tree.
    const bytes = await commitFiles(ada, { zeros: Buffer.alloc(1024 * 1024) });
    const count = await commitFiles(ada, {
      zeros: '',
      ...Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`f/${number}`, ''])),
    });
    await git(ada, 'push', '--quiet');
    const refusal = { kind: 'rejected', code: 'SourceTooLarge' };
    await expect(host.source.readTree(ref, bytes)).rejects.toMatchObject(refusal);
    await expect(host.source.readTree(ref, count)).rejects.toMatchObject(refusal);
  });

  test('a repository that was repacked is read, pushed to and fetched from', async () => {
    const ref = await host.create('repacked');
    const ada = await host.clone(ref);
    const text = Array.from({ length: 500 }, (_, number) => `line ${number}\n`);
    await importCommits(
      ada,
      [0, 10, 20, 30].map((cut) => ({ 'long.txt': text.slice(cut).join('') })),
    );
    await git(ada, 'push', '--quiet', 'origin', 'main', 'main:topic', 'main:other');
    await git(host.gitDir(ref), 'gc', '--quiet');
    expect(await git(host.gitDir(ref), 'count-objects')).toMatch(/^0 objects/);
    const ben = await host.clone(ref);
    expect(await readFile(join(ben, 'long.txt'), 'utf8')).toBe(text.slice(30).join(''));
    const oldest = await git(ada, 'rev-parse', 'HEAD~3');
    const files = await host.source.readTree(ref, oldest);
    expect(Buffer.from(files.find((file) => file.path === 'long.txt')?.content ?? '').toString()).toBe(text.join(''));
    await commitFiles(ben, { b: '1' });
    await git(ben, 'push', '--quiet', 'origin', 'main', ':topic');
    expect((await git(ben, 'ls-remote', '--heads', 'origin')).split('\n').map((line) => line.split('\t')[1])).toEqual([
      'refs/heads/main',
      'refs/heads/other',
    ]);
    await fsck(ref);
  });

  test('the lock that a killed server left is broken once it is old', async () => {
    const ref = await host.create('stale');
    const ada = await host.clone(ref);
    await commitFiles(ada, { a: '1' });
    const lock = join(host.gitDir(ref), 'refs/heads/main.lock');
    await writeFile(lock, '');
    expect((await runGit(ada, 'push', 'origin', 'main')).stderr).toContain('[remote rejected]');
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(lock, hourAgo, hourAgo);
    await git(ada, 'push', '--quiet', 'origin', 'main');
  });

  test('a listener that fails does not fail the push', async () => {
    const ref = await host.create('listened');
    const ada = await host.clone(ref);
    await commitFiles(ada, { a: '1' });
    const failure = new Error('a listener');
    const stop = host.source.onPush((push) => {
      if (push.ref.name === ref.name) throw failure;
    });
    await git(ada, 'push', '--quiet');
    stop();
    const at = host.logged.findIndex((line) => line.level === 'error');
    expect(host.logged.splice(at, 1)).toMatchObject([{ context: { err: failure } }]);
  });

  test('a shallow clone holds one commit', async () => {
    const ref = await host.create('shallow');
    const ada = await host.clone(ref);
    await commitFiles(ada, { a: '1' });
    await git(ada, 'push', '--quiet');
    const shallow = await host.clone(ref, '--depth', '1');
    expect(await git(shallow, 'rev-list', '--count', 'HEAD')).toBe('1');
  });
});
