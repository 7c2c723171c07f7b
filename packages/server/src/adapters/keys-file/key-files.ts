/** The files of FileKeys: `<version>.key`, base64, written atomically and never replaced. */
import { randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { mapLimited } from '#kernel/map-limited.ts';
import { PortFailure } from '#ports/failure.ts';

export interface KeyFile {
  readonly version: number;
  readonly key: Buffer;
}

const KEY_BYTES = 32;
const FILE_NAME = /^([1-9]\d{0,8})\.key$/;

/** Returns the keys in order of version; empty if the directory does not exist. Rejects if a file is readable by others or is no key. */
export async function readKeyFiles(directory: string): Promise<KeyFile[]> {
  const names = await fs.readdir(directory).catch(orMissing<string[]>([]));
  const versions = names.flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).map(Number);
  return mapLimited(
    versions.sort((a, b) => a - b),
    (version) => readKeyFile(directory, version),
  );
}

async function readKeyFile(directory: string, version: number): Promise<KeyFile> {
  const file = path.join(directory, `${version}.key`);
  const handle = await fs.open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { mode } = await handle.stat();
    if (mode & 0o077) throw new PortFailure('rejected', `${file} can be read by other users: chmod 600, and rotate the key`);
    const key = Buffer.from(await handle.readFile('utf8'), 'base64');
    if (key.length !== KEY_BYTES) throw new PortFailure('rejected', `${file} does not hold a key of ${KEY_BYTES} bytes`);
    return { version, key };
  } finally {
    await handle.close();
  }
}

/**
 * Creates a key file with a hard link, which cannot replace a file: if several processes create the same version, one wins and all use its
 * key.
 */
export async function createKeyFile(directory: string, version: number): Promise<void> {
  await fs.mkdir(directory, { recursive: true, mode: 0o700 });
  await fs.chmod(directory, 0o700);
  const draft = path.join(directory, `.${randomUUID()}`);
  const handle = await fs.open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await handle.sync();
    await fs.link(draft, path.join(directory, `${version}.key`)).catch(ignoreExisting);
  } finally {
    await handle.close();
    await fs.unlink(draft);
  }
  await syncDirectory(directory);
}

/** A key that is lost in a power failure after it wrapped something can't be recovered. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await fs.open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

const orMissing =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code !== 'ENOENT') throw error;
    return value;
  };
