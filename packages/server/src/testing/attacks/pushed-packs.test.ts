// @long: waits for limits, or starts programs
/** Pushes made to break the git host: damaged, lying, endless and misnamed packs. Each is refused, leaves nothing, and the host goes on. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { SourceOnHttp, commitFiles, git, importCommits, runGit } from '@slipway/git/git-client.fixture.ts';
import type { RepositoryRef } from '#ports/source.ts';
import { commitOf, delta, entry, oidOf, packOf, pushOf, treeOf, zeros } from './raw-pack.fixture.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const MIB = 1024 * 1024;
let host: SourceOnHttp;
let ref: RepositoryRef;
beforeAll(async () => {
  host = await SourceOnHttp.start({
    limits: {
      maxExpandedBytes: 3 * MIB,
      maxObjectBytes: 2 * MIB,
      process: { memoryBytes: 96 * MIB, cpuSeconds: 2 },
      tree: { maxBytes: 10 * MIB, maxFiles: 2000 },
    },
  });
  ref = await host.create('attacked');
});
// One that got through must not help the next.
afterEach(() => git(host.gitDir(ref), 'update-ref', '-d', 'refs/heads/attack'));
afterAll(async () => {
  await host.stop();
  expect(host.errors).toEqual([]);
});

/** Pushes bytes as they are. Answers what a client would read. */
const push = async (body: Buffer): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${host.port}/git/${ref.owner}/${ref.name}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from('mallory:writer').toString('base64')}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: new Uint8Array(body),
  });
  expect(answer.status).toBe(200);
  return answer.text();
};

const refs = (): Promise<string> => git(host.gitDir(ref), 'for-each-ref', '--format=%(refname)', 'refs/heads/attack');
const leftovers = async (): Promise<string[]> => {
  const folders = await Promise.all(['objects', 'objects/pack'].map((folder) => readdir(join(host.gitDir(ref), folder))));
  return folders.flat().filter((name) => name.includes('tmp_'));
};

const expectRefused = async (body: Buffer, why: RegExp | string = ''): Promise<void> => {
  const said = await push(body);
  expect(said).toContain('ng refs/heads/attack');
  expect(said).toMatch(why);
  expect(await refs()).toBe('');
  await expect.poll(leftovers, { timeout: 10_000 }).toEqual([]);
};

const blob = Buffer.from('a file of some length');
/** A commit of one file, and everything that it needs but the file. */
const withFile = (oid: string, name = 'file'): { commit: string; entries: Buffer[] } => {
  const tree = treeOf({ mode: '100644', name, oid });
  const commit = commitOf(oidOf('tree', tree));
  return { commit: oidOf('commit', commit), entries: [entry('commit', commit), entry('tree', tree)] };
};
const whole = withFile(oidOf('blob', blob));
const attack = (pack: Buffer, commit = whole.commit): Buffer => pushOf('refs/heads/attack', commit, pack);

test('a pack made by hand that is right is taken', async () => {
  const file = Buffer.from('another file');
  const { commit, entries } = withFile(oidOf('blob', file));
  const said = await push(pushOf('refs/heads/right', commit, packOf([...entries, entry('blob', file)])));
  expect(said).toContain('ok refs/heads/right');
});

test('a changed byte anywhere is found', async () => {
  const folder = await host.clone(ref);
  const lines = Array.from({ length: 400 }, (_, number) => `line ${number}\n`);
  const commit = await importCommits(
    folder,
    Array.from({ length: 30 }, (_, number) => ({ 'long.txt': lines.slice(number).join(''), [`a/b${number}`]: `${number}` })),
  );
  const pack = execFileSync('git', ['pack-objects', '--revs', '--stdout', '--quiet'], { cwd: folder, input: 'main\n' });
  for (let step = 0; step < 12; step++) {
    const damaged = Buffer.from(pack);
    const at = Math.floor((step / 12) * damaged.length);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    await expectRefused(attack(damaged, commit));
  }
});

describe('entries that lie about themselves', () => {
  test.each([
    ['longer than they are', packOf([...whole.entries, entry('blob', blob, blob.length + 1)])],
    ['shorter than they are', packOf([...whole.entries, entry('blob', blob, blob.length - 1)])],
    ['more than there are', packOf([...whole.entries, entry('blob', blob)], 4)],
    ['fewer than there are', packOf([...whole.entries, entry('blob', blob)], 2)],
    ['a delta that leaves its base', packOf([...whole.entries, entry('blob', blob), delta(Buffer.of(21, 9, 0x91, 20, 9), 30)])],
    ['without the file that the tree names', packOf(whole.entries)],
    ['nothing that could be a pack', Buffer.from('PACK nothing that could be one')],
  ])('%s', async (_name, pack) => {
    await expectRefused(attack(pack));
  });

  test('a thin pack, whose base is not there', async () => {
    const folder = await host.clone(ref);
    const base = Array.from({ length: 500 }, (_, number) => `line ${number}\n`).join('');
    await commitFiles(folder, { long: base });
    const commit = await commitFiles(folder, { long: `${base}more` });
    const pack = execFileSync('git', ['pack-objects', '--revs', '--thin', '--stdout', '--quiet'], {
      cwd: folder,
      input: `${commit}\n^${commit}~1\n`,
    });
    await expectRefused(attack(pack, commit));
  });
});

describe('packs that grow', () => {
  test('files that are too much in all, though each may be', async () => {
    const folder = await host.clone(ref);
    const file = (letter: string): Buffer => Buffer.alloc(1.5 * MIB, letter);
    await commitFiles(folder, { a: file('a'), b: file('b') });
    await commitFiles(folder, { a: file('c'), b: '' });
    const run = await runGit(folder, 'push', 'origin', 'HEAD:refs/heads/attack');
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain('The push holds 5 MB in all. It may hold up to 3 MB.');
    expect(await refs()).toBe('');
  });

  // Objects that git must hold whole: a small pack cannot take more memory than a process may have.
  test.each([
    ['a tree of 256 MB', packOf([...whole.entries, zeros('tree', 16)])],
    ['a header that promises two billion objects', packOf([...whole.entries, entry('blob', blob)], 0x7f_ff_ff_ff)],
    // Makes 112 MB of 16 MB: seven times the whole base.
    [
      'a delta that makes 112 MB',
      packOf([
        ...whole.entries,
        zeros('tree', 1),
        delta(
          Buffer.of(0x80, 0x80, 0x80, 8, 0x80, 0x80, 0x80, 0x38, ...Array<number[]>(7).fill([0xf0, 0xff, 0xff, 0xff]).flat(), 0x90, 7),
          zeros('tree', 1).length,
        ),
      ]),
    ],
  ])('%s is refused for want of memory', async (_name, pack) => {
    await expectRefused(attack(pack), /[Oo]ut of memory/);
  });

  test('a file of 4 GB in 4 MB ends by its time, and the user reads which limit ended it', async () => {
    const why = 'unpack it takes git more than 2 s or 96 MB of memory: push fewer commits at a time';
    await expectRefused(attack(packOf([...whole.entries, zeros('blob', 256)])), why);
  });

  test('a chain of 5,000 deltas is taken and read', async () => {
    const text = (number: number): Buffer => Buffer.from(`${String(number).padStart(5, '0')}${'x'.repeat(100)}`);
    const entries = [entry('blob', text(0))];
    for (let number = 1; number <= 5000; number++) {
      // Five new bytes, then 100 of the base.
      const digits = text(number).subarray(0, 5);
      entries.push(delta(Buffer.concat([Buffer.of(105, 105, 5), digits, Buffer.of(0x91, 5, 100)]), (entries.at(-1) ?? digits).length));
    }
    const last = withFile(oidOf('blob', text(5000)));
    const said = await push(pushOf('refs/heads/chain', last.commit, packOf([...entries, ...last.entries])));
    expect(said).toContain('ok refs/heads/chain');
    const [file] = await host.source.readTree(ref, last.commit);
    expect(Buffer.from(file?.content ?? '').toString()).toBe(text(5000).toString());
  });
});

describe('names that another client could not check out', () => {
  const oid = oidOf('blob', blob);
  const one = (name: string, mode = '100644') => ({ mode, name, oid });
  test.each([
    ['.git', [one('.git')]],
    ['.git in capitals', [one('.GIT')]],
    ['.git as Windows reads it', [one('git~1')]],
    ['.git with a point', [one('.git.')]],
    ['.git with a stream', [one('.git::$INDEX_ALLOCATION')]],
    ['.git as macOS reads it', [one('.g\u200cit')]],
    ['the folder itself', [one('.')]],
    ['the folder above', [one('..')]],
    ['no name', [one('')]],
    ['a path', [one('a/b')]],
    ['twice the same', [one('a'), one('a')]],
    ['out of order', [one('b'), one('a')]],
    ['modules behind a link', [one('.gitmodules', '120000')]],
  ])('%s', async (_name, entries) => {
    const tree = treeOf(...entries);
    const commit = commitOf(oidOf('tree', tree));
    await expectRefused(attack(packOf([entry('blob', blob), entry('tree', tree), entry('commit', commit)]), oidOf('commit', commit)));
  });
});

describe('trees', () => {
  test('that multiply are no source of a build', async () => {
    let oid = oidOf('blob', blob);
    const entries = [entry('blob', blob)];
    for (let level = 0; level < 10; level++) {
      const mode = level === 0 ? '100644' : '40000';
      const tree = treeOf(...Array.from('abcdefghij', (name) => ({ mode, name, oid })));
      oid = oidOf('tree', tree);
      entries.push(entry('tree', tree));
    }
    const commit = commitOf(oid);
    const said = await push(pushOf('refs/heads/bomb', oidOf('commit', commit), packOf([...entries, entry('commit', commit)])));
    expect(said).toContain('ok refs/heads/bomb');
    await expect(host.source.readTree(ref, oidOf('commit', commit))).rejects.toMatchObject({ code: 'SourceTooLarge' });
  });

  test('that are nested without end are no source of a build', async () => {
    let oid = oidOf('blob', blob);
    const entries = [entry('blob', blob)];
    for (let level = 0; level < 3000; level++) {
      const tree = treeOf({ mode: level === 0 ? '100644' : '40000', name: 'nested-deeply', oid });
      oid = oidOf('tree', tree);
      entries.push(entry('tree', tree));
    }
    const commit = commitOf(oid);
    await push(pushOf('refs/heads/deep', oidOf('commit', commit), packOf([...entries, entry('commit', commit)])));
    await expect(host.source.readTree(ref, oidOf('commit', commit))).rejects.toMatchObject({ name: 'PortFailure' });
  });
});

test('what is pushed is never run, and git sees nothing of this server', async () => {
  const folder = await host.clone(ref);
  const marker = join(host.folder, 'ran');
  const trace = join(host.folder, 'trace');
  const script = `#!/bin/sh\ntouch ${marker}\n`;
  const evil = join(host.folder, 'evil');
  await mkdir(join(evil, 'hooks'), { recursive: true });
  for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction']) {
    await writeFile(join(evil, 'hooks', hook), script);
    await chmod(join(evil, 'hooks', hook), 0o755);
    await mkdir(join(folder, 'hooks'), { recursive: true });
    await writeFile(join(folder, 'hooks', hook), script);
    await chmod(join(folder, 'hooks', hook), 0o755);
  }
  const config = `[core]\n\thooksPath = ${join(evil, 'hooks')}\n\tfsmonitor = touch ${marker}\n[uploadpack]\n\tpackObjectsHook = touch ${marker}; exec\n`;
  await writeFile(join(evil, '.gitconfig'), config);
  vi.stubEnv('HOME', evil);
  vi.stubEnv('GIT_CONFIG_GLOBAL', join(evil, '.gitconfig'));
  vi.stubEnv('GIT_CONFIG_COUNT', '1');
  vi.stubEnv('GIT_CONFIG_KEY_0', 'core.hooksPath');
  vi.stubEnv('GIT_CONFIG_VALUE_0', join(evil, 'hooks'));
  vi.stubEnv('GIT_TRACE', trace);
  try {
    const sha = await commitFiles(folder, { config, HEAD: 'ref: refs/heads/other\n', 'objects/info/alternates': '/\n' });
    await git(folder, 'push', '--quiet', 'origin', 'HEAD:main');
    await host.clone(ref);
    expect(await host.source.commit(ref, sha)).toMatchObject({ sha });
    expect(await host.source.readTree(ref, sha)).toHaveLength(10);
  } finally {
    vi.unstubAllEnvs();
  }
  expect([existsSync(marker), existsSync(trace)]).toEqual([false, false]);
});
