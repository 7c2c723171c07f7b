import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareBinaries } from './embedded-binaries.ts';
import { isTraversable, nobody, preparePostgresDirectory } from './embedded-directory.ts';
import { lockDirectory } from '@slipway/foundation/directory-lock.ts';

let base: string;
beforeEach(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-directory-'));
  fs.chmodSync(base, 0o755);
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

const make = (name: string, mode: number) => {
  const directory = path.join(base, name);
  fs.mkdirSync(directory, { recursive: true });
  fs.chmodSync(directory, mode);
  return directory;
};

test('a directory is traversable when its owner, group or others may pass, whichever applies to the user', () => {
  const directory = make('data', 0o701);
  const { uid, gid } = fs.statSync(directory);
  expect(isTraversable(directory, { uid, gid })).toBe(true);
  expect(isTraversable(directory, { uid: 4242, gid })).toBe(false);
  expect(isTraversable(directory, { uid: 4242, gid: 4242 })).toBe(true);
});

test('a released directory can be locked again', () => {
  const file = path.join(base, 'pg.lock');
  const lock = lockDirectory(file, 'The directory');
  expect(() => lockDirectory(file, 'The directory')).toThrow('The directory is in use');
  lock.release();
  lockDirectory(file, 'The directory').release();
});

describe.runIf(process.getuid?.() === 0)('as root', () => {
  test("an open data directory holds the home, which belongs to PostgreSQL's own user", () => {
    const data = make('data', 0o755);
    const { home, user } = preparePostgresDirectory(data);
    expect(home).toBe(path.join(fs.realpathSync(data), 'pg'));
    expect(fs.statSync(home).uid).toBe(user?.uid);
    expect([0, nobody().uid]).not.toContain(user?.uid);
  });

  test('a closed data directory links to a home outside, found again at the next start', () => {
    const data = make('data', 0o700);
    const { home } = preparePostgresDirectory(data, make('var', 0o755));
    expect(path.dirname(home)).toBe(fs.realpathSync(path.join(base, 'var')));
    expect(fs.statSync(home).mode & 0o777).toBe(0o700);
    expect(preparePostgresDirectory(data, path.join(base, 'var')).home).toBe(home);
  });

  test('a deleted data directory does not come back with the old database', () => {
    const { home } = preparePostgresDirectory(make('data', 0o700), make('var', 0o755));
    fs.rmSync(path.join(base, 'data'), { recursive: true });
    expect(preparePostgresDirectory(make('data', 0o700), path.join(base, 'var')).home).not.toBe(home);
  });

  test('an existing cluster keeps its place when the data directory is closed later, with the reason', () => {
    const data = make('data', 0o755);
    const { home, user } = preparePostgresDirectory(data);
    fs.mkdirSync(path.join(home, 'cluster'));
    fs.chownSync(path.join(home, 'cluster'), user?.uid ?? 0, user?.gid ?? 0);
    fs.chmodSync(data, 0o700);
    expect(() => preparePostgresDirectory(data, make('var', 0o755))).toThrow('chmod o+x');
  });

  test('programs that its user cannot reach, without their links, are copied and run', () => {
    const closed = make('closed', 0o700);
    const { home, user } = preparePostgresDirectory(make('data', 0o755));
    const original = path.dirname(prepareBinaries({ home, user: undefined }));
    fs.cpSync(original, closed, { recursive: true, filter: (file) => !fs.lstatSync(file).isSymbolicLink() });
    const programs = prepareBinaries({ home, user }, closed);
    expect(programs.startsWith(home)).toBe(true);
    expect(execFileSync(path.join(programs, 'bin/initdb'), ['--version'], { ...user, cwd: '/', encoding: 'utf8' })).toContain('18.');
  });
});
