import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { keysSuite } from '#ports/keys.suite.ts';
import { FileKeys } from './file-keys.ts';

const directories: string[] = [];
const newDirectory = () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-keys-'));
  directories.push(directory);
  return path.join(directory, 'keys');
};
afterEach(() => {
  for (const directory of directories.splice(0)) fs.rmSync(directory, { recursive: true, force: true });
});

keysSuite('files', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-keys-'));
  const keys = new FileKeys(path.join(directory, 'keys'));
  return { keys, close: async () => fs.rmSync(directory, { recursive: true }) };
});

const mode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);

test('directory and key are for the owner alone, and nothing else is left', async () => {
  const directory = newDirectory();
  await new FileKeys(directory).currentKid();
  expect(mode(directory)).toBe('700');
  expect(fs.readdirSync(directory)).toEqual(['1.key']);
  expect(mode(path.join(directory, '1.key'))).toBe('600');
});

test('a later process opens what an earlier one wrapped', async () => {
  const directory = newDirectory();
  const wrapped = await new FileKeys(directory).wrap(Buffer.from('data key'), 'secret');
  expect(Buffer.from(await new FileKeys(directory).unwrap(wrapped, 'secret')).toString()).toBe('data key');
});

test('processes that start at once agree on one key', async () => {
  const directory = newDirectory();
  const module = fileURLToPath(new URL('file-keys.ts', import.meta.url));
  const script = `import { FileKeys } from ${JSON.stringify(module)};
    process.stdin.once('data', async () => { console.log(await new FileKeys(process.argv[1]).currentKid()); process.exit(); });
    console.error('ready');`;
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, ['--input-type=module', '-e', script, directory]));
  await Promise.all(children.map((child) => once(child.stderr, 'data')));
  const kids = children.map((child) => text(child.stdout));
  for (const child of children) child.stdin.write('go');
  expect(new Set(await Promise.all(kids)).size).toBe(1);
  expect(fs.readdirSync(directory)).toEqual(['1.key']);
});

test('within one process, too', async () => {
  const directory = newDirectory();
  const kids = await Promise.all(Array.from({ length: 20 }, () => new FileKeys(directory).currentKid()));
  expect(new Set(kids).size).toBe(1);
});

test('a key that others can read is refused', async () => {
  const directory = newDirectory();
  await new FileKeys(directory).currentKid();
  fs.chmodSync(path.join(directory, '1.key'), 0o644);
  await expect(new FileKeys(directory).currentKid()).rejects.toMatchObject({
    kind: 'rejected',
    message: expect.stringContaining('chmod 600'),
  });
});

test('with a lost directory the message names the key', async () => {
  const wrapped = await new FileKeys(newDirectory()).wrap(Buffer.from('data key'), 'secret');
  const other = new FileKeys(newDirectory());
  await other.currentKid();
  await expect(other.unwrap(wrapped, 'secret')).rejects.toThrow(`Key ${wrapped.kid} is not in the keys directory`);
});
