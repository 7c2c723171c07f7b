/** Tests for every adapter of the source port. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SourceFile } from './builder.ts';
import type { Pushed, RepositoryRef, SourceHost } from './source.ts';

export interface SourceUnderTest {
  readonly source: SourceHost;
  /** An owner without repositories. */
  readonly owner: string;
  /** Commits `files` to a branch and pushes it, like a person with a git client. Returns its SHA. */
  push(ref: RepositoryRef, branch: string, files: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

const file = (path: string, text: string, isExecutable = false): SourceFile => ({ path, content: Buffer.from(text), isExecutable });
const COMMIT = { message: 'Start from the template', author: 'Ada Quay', email: 'ada@example.test' };
const FILES = [
  file('README.md', '# berth\n'),
  file('bin/start', '#!/bin/sh\n', true),
  file('src/lib/deep/a.js', 'export const a = 1;\n'),
  file('src/ümläut name.txt', 'ü\n'),
  file('empty', ''),
];
const asText = (files: readonly SourceFile[]): object[] =>
  files.map(({ path, content, isExecutable }) => ({ path, text: Buffer.from(content).toString(), isExecutable }));
const byPath = (files: readonly SourceFile[]): SourceFile[] => [...files].sort((a, b) => (a.path < b.path ? -1 : 1));

export function sourceSuite(name: string, make: () => Promise<SourceUnderTest>): void {
  describe(`source: ${name}`, () => {
    let under: SourceUnderTest;
    let source: SourceHost;
    const refOf = (repository: string): RepositoryRef => ({ owner: under.owner, name: repository });
    beforeAll(async () => {
      under = await make();
      source = under.source;
    });
    afterAll(() => under.close());

    test('a new repository holds its files in one commit on the default branch', async () => {
      const info = await source.createRepository(refOf('fresh'), FILES, COMMIT);
      expect(info).toMatchObject({ ref: refOf('fresh'), headCommit: expect.stringMatching(/^[0-9a-f]{40}$/) });
      expect(await source.repository(refOf('fresh'))).toEqual(info);
      const tree = await source.readTree(refOf('fresh'), info.headCommit ?? '');
      expect(asText(byPath(tree))).toEqual(asText(byPath(FILES)));
      const commit = await source.commit(refOf('fresh'), info.headCommit ?? '');
      expect(commit).toMatchObject({ sha: info.headCommit, ...COMMIT });
      expect(Math.abs((commit?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    });

    test('creating twice with the same files changes nothing', async () => {
      const first = await source.createRepository(refOf('twice'), FILES, COMMIT);
      expect(await source.createRepository(refOf('twice'), [...FILES].reverse(), COMMIT)).toEqual(first);
    });

    test('creating at the same time makes one repository', async () => {
      const infos = await Promise.all([1, 2, 3].map(() => source.createRepository(refOf('race'), FILES, COMMIT)));
      expect(new Set(infos.map((info) => info.headCommit)).size).toBe(1);
    });

    test('creating over other content is a conflict', async () => {
      const first = await source.createRepository(refOf('taken'), FILES, COMMIT);
      await expect(source.createRepository(refOf('taken'), FILES.slice(1), COMMIT)).rejects.toMatchObject({
        name: 'PortFailure',
        kind: 'conflict',
      });
      expect(await source.repository(refOf('taken'))).toEqual(first);
    });

    test('the repositories of an owner are listed', async () => {
      const owned = (await source.repositories(under.owner)).map((info) => info.ref.name);
      expect(owned).toEqual(expect.arrayContaining(['fresh', 'twice']));
      expect(await source.repositories(`${under.owner}-nobody`)).toEqual([]);
    });

    test('the changes between two commits are read with their files and lines', async () => {
      const ref = refOf('changing');
      const { headCommit = '', defaultBranch } = await source.createRepository(ref, FILES, COMMIT);
      await under.push(ref, defaultBranch, { 'README.md': '# berth\nMore\n' });
      const last = await under.push(ref, defaultBranch, { 'src/ümläut name.txt': 'u\n', 'picture.bin': '\0\u0001' });
      const changes = await source.changes(ref, headCommit.slice(0, 7), last);
      expect(changes).toMatchObject({ commitCount: 2, isCut: false, commits: [{ sha: last }, {}] });
      expect(changes?.files).toEqual([
        { path: 'README.md', added: 1, removed: 0 },
        { path: 'picture.bin', added: null, removed: null },
        { path: 'src/ümläut name.txt', added: 1, removed: 1 },
      ]);
      expect(changes?.patch).toContain('\n+More\n');
      expect(await source.changes(ref, last, last)).toMatchObject({ commitCount: 0, files: [], patch: '' });
      for (const other of ['0'.repeat(40), '--all', 'HEAD', '']) expect(await source.changes(ref, other, last)).toBeUndefined();
      expect(await source.changes(refOf('nowhere'), headCommit, last)).toBeUndefined();
    });

    test('deleting twice leaves nothing, and the name is free again', async () => {
      await source.createRepository(refOf('gone'), FILES, COMMIT);
      await source.deleteRepository(refOf('gone'));
      await source.deleteRepository(refOf('gone'));
      expect(await source.repository(refOf('gone'))).toBeUndefined();
      expect(await source.createRepository(refOf('gone'), FILES.slice(2), COMMIT)).toMatchObject({ ref: refOf('gone') });
    });

    test('what does not exist is reported separately', async () => {
      const unknown = 'a'.repeat(40);
      expect(await source.repository(refOf('never'))).toBeUndefined();
      expect(await source.commit(refOf('never'), unknown)).toBeUndefined();
      expect(await source.commit(refOf('fresh'), unknown)).toBeUndefined();
      await expect(source.readTree(refOf('never'), unknown)).rejects.toMatchObject({ kind: 'notFound' });
      await expect(source.readTree(refOf('fresh'), unknown)).rejects.toMatchObject({ kind: 'notFound' });
    });

    test('a push to the default branch is reported once, one to another branch is not', async () => {
      const info = await source.createRepository(refOf('pushed'), FILES, COMMIT);
      const seen: Pushed[] = [];
      const stop = source.onPush((push) => seen.push(push));
      await under.push(refOf('pushed'), 'topic', { 'topic.txt': 'topic' });
      const sha = await under.push(refOf('pushed'), info.defaultBranch, { 'added.txt': 'added', 'README.md': '# changed\n' });
      expect(seen).toEqual([{ ref: refOf('pushed'), branch: info.defaultBranch, commit: sha, pusher: expect.stringMatching(/./) }]);
      expect((await source.repository(refOf('pushed')))?.headCommit).toBe(sha);
      const texts = new Map((await source.readTree(refOf('pushed'), sha)).map((one) => [one.path, Buffer.from(one.content).toString()]));
      expect([texts.get('added.txt'), texts.get('README.md'), texts.get('empty'), texts.size]).toEqual([
        'added',
        '# changed\n',
        '',
        FILES.length + 1,
      ]);
      // The previous commit can still be built.
      expect(await source.readTree(refOf('pushed'), info.headCommit ?? '')).toHaveLength(FILES.length);
      stop();
      await under.push(refOf('pushed'), info.defaultBranch, { 'again.txt': 'again' });
      expect(seen).toHaveLength(1);
    });
  });
}
