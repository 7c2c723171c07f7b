/** Directory of secret files while an instance runs: in memory if the machine has tmpfs at `/dev/shm`, otherwise in the data directory. */
import { createHash } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryDirectory } from '../../sandbox/temporary-directory.ts';

/** Linux's shared memory: every distribution and container mounts it. */
const MEMORY = '/dev/shm';
/** The kernel's magic number for tmpfs. A plain directory of this name would be on disk. */
const TMPFS = 0x0102_1994;

const isMemory = (): boolean => {
  try {
    return statfsSync(MEMORY).type === TMPFS;
  } catch {
    return false;
  }
};

/** Separate per data directory: several servers of a user must not clean up each other's files. */
const root = (dataDir: string): string => {
  if (!isMemory()) return join(dataDir, 'secret-files');
  const own = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 32);
  return join(temporaryDirectory('slipway-secrets', 0o700, MEMORY), own);
};

export const secretDirectory = (dataDir: string, instance: string): string => join(root(dataDir), instance);

/** Only the holder may call this: all files are leftovers of a dead holder. */
export const cleanUpSecretFiles = (dataDir: string): void => rmSync(root(dataDir), { recursive: true, force: true });
