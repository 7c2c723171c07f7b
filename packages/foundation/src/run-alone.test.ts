import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openOwnDirectory, ownPassword } from './run-alone.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-alone-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the password of the first start is kept for its owner alone', () => {
  const { password, passwordFile, isPassword } = ownPassword(folder);
  expect(password).toHaveLength(32);
  expect(statSync(passwordFile).mode & 0o777).toBe(0o600);
  expect(ownPassword(folder).password).toBe(password);
  expect([isPassword(password), isPassword(`${password}x`), isPassword('')]).toEqual([true, false, false]);
});

test('a directory is open once, and again after its release', () => {
  const directory = join(folder, 'data');
  const first = openOwnDirectory(directory);
  expect(() => openOwnDirectory(directory)).toThrow(`Another process uses ${directory}`);
  first.release();
  openOwnDirectory(directory).release();
});
