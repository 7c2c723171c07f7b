import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCommand } from './command-line.ts';
import { askPassphrase, givenPassphrase, PASSPHRASE_VARIABLE } from './passphrase.ts';

test("paths are the caller's, and options may stand anywhere", () => {
  expect(readCommand(['backup', '--check', 'a.zst', '--passphrase-file', 'p'], '/home/me')).toEqual({
    name: 'check',
    file: '/home/me/a.zst',
    passphraseFile: '/home/me/p',
    hasKeys: true,
    keysDirectory: undefined,
  });
  expect(readCommand(['restore', '/b.zst', '--keys', 'k'], '/home/me')).toMatchObject({
    name: 'restore',
    file: '/b.zst',
    keysDirectory: '/home/me/k',
  });
  expect(readCommand([], '/')).toBeUndefined();
  expect(readCommand(['backup', '-h'], '/')).toBeUndefined();
});

test.each([
  [['erase'], 'there is no command erase'],
  [['backup'], 'backup needs the name of a file'],
  [['backup', 'a', 'b'], 'backup takes one file'],
  [['backup', 'a', '--passphrase', 'x'], "Unknown option '--passphrase'"],
  [['restore', 'a', '--check'], '--check and --without-keys are for backup'],
  [['backup', 'a', '--keys', 'k'], '--keys is for restore'],
])('%j', (args, said) => {
  expect(() => readCommand(args, '/')).toThrow(said);
});

test('a passphrase comes from a file or the environment, where no child finds it', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-passphrase-'));
  const file = path.join(folder, 'pass');
  fs.writeFileSync(file, 'twelve letters and more\r\nsecond line\n');
  const env = { [PASSPHRASE_VARIABLE]: 'of the environment' };
  expect(await askPassphrase({ file, env, isNew: true })).toBe('twelve letters and more');
  expect(env).toEqual({});
  expect(givenPassphrase({ file: undefined, env: { [PASSPHRASE_VARIABLE]: 'of the environment' } })).toBe('of the environment');
  fs.writeFileSync(file, 'short\n');
  await expect(askPassphrase({ file, env: {}, isNew: true })).rejects.toThrow('at least 12 characters');
  // The length is checked only for new passphrases: existing backups open with any passphrase.
  expect(await askPassphrase({ file, env: {}, isNew: false })).toBe('short');
  await expect(askPassphrase({ file: path.join(folder, 'none'), env: {}, isNew: true })).rejects.toThrow('cannot be read');
  fs.rmSync(folder, { recursive: true });
});
