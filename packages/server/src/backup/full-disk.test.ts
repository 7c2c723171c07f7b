/** A full disk of the platform: a backup to another disk says which disk is full, first and at once. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockDirectory } from '#db/directory-lock.ts';
import { testDatabase } from '#testing/database.ts';
import { backUp } from './back-up.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const tools = { mount: 'mount', umount: 'umount' };
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-backup-full-'));
const dataDir = path.join(base, 'data');
/** False without the right to mount. */
const isMounted = ((): boolean => {
  fs.mkdirSync(dataDir);
  try {
    execFileSync(tools.mount, ['-t', 'tmpfs', '-o', 'size=1m,nr_inodes=32', 'slipway-test', dataDir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
beforeAll(() => {
  if (!isMounted) return;
  fs.mkdirSync(path.join(dataDir, 'pg/cluster'), { recursive: true });
  fs.writeFileSync(path.join(dataDir, 'pg.lock'), '');
  fs.mkdirSync(path.join(dataDir, 'git'));
});
afterAll(() => {
  if (isMounted) execFileSync(tools.umount, [dataDir]);
  fs.rmSync(base, { recursive: true, force: true });
});

/** Fills the last byte, and leaves no room for another directory. */
const fill = (): void => {
  const ballast = (number: number): string => path.join(dataDir, `ballast-${number}`);
  expect(() => fs.writeFileSync(ballast(0), Buffer.alloc(2 << 20))).toThrow('ENOSPC');
  expect(() => Array.from({ length: 32 }, (_, number) => fs.writeFileSync(ballast(number), ''))).toThrow('ENOSPC');
};
const save = (databaseUrl?: string) => {
  const file = path.join(base, 'archive');
  return backUp({
    file,
    passphrase: 'correct horse battery staple',
    config: { dataDir, databaseUrl, diskFloorMegabytes: 0 },
    version: '0',
    log,
  });
};

test.runIf(isMounted)('names the full disk when the database cannot run, whether a server runs or not', async () => {
  const lock = lockDirectory(path.join(dataDir, 'pg.lock'), 'The data directory');
  fill();
  await expect(save()).rejects.toThrow(
    /^The disk of \S+\/pg is full: the database there does not answer \(it is not ready\)\. Free some space/,
  );
  lock.release();
  await expect(save()).rejects.toThrow(/^The disk of \S+\/pg is full: the database there does not answer/);
});

test.runIf(isMounted)('names the full disk when the database runs elsewhere', async () => {
  const database = await testDatabase();
  fill();
  await expect(save(database.url)).rejects.toThrow(`The disk of ${dataDir} is full: the backup needs a little of it`);
  await database.drop();
});
