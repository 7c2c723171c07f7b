import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tryLockFile } from '@slipway/foundation/directory-lock.ts';
import { GitProgram } from './git-program.ts';
import { RepositoryStore } from './repository-store.ts';

test('a repository is not deleted while a backup pins what is there, and is afterwards', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-hold-'));
  const lock = join(folder, 'deletions.lock');
  let tries = 0;
  const store = new RepositoryStore(new GitProgram(), join(folder, 'git'), () => {
    tries += 1;
    return tryLockFile(lock);
  });
  const ref = { owner: 'berth', name: 'berth' };
  await store.create(ref, { files: [], message: 'First', author: 'A', email: 'a@example.test', at: new Date(0) });
  const backup = tryLockFile(lock);
  const deleted = store.delete(ref);
  await vi.waitUntil(() => tries > 5, 60_000);
  await access(join(folder, 'git/berth/berth.git/HEAD'));
  backup?.release();
  await deleted;
  expect(await store.locate(ref)).toBeUndefined();
  // The lock is free.
  tryLockFile(lock)?.release();
  await rm(folder, { recursive: true });
});
