/** Directories of builds: created, removed, and cleaned up after a dead server. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Sandbox } from '../sandbox/sandbox.ts';
import { findTools } from '../sandbox/tools/tools.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';

import { BuildDisk, DISK, LOCK, findDiskTools } from './build-disk.ts';
import type { BuildLimits } from './build-limits.ts';
import { TRASH, emptyTrash, removeTree } from './remove-tree.ts';

const run = promisify(execFile);
const OPEN_PREFIX = 'slipway-build-';
/** Far more than a build may take: older directories are abandoned. */
const ABANDONED_MS = 60 * 60_000;
/** A disk's keeper needs a moment to take its lock. */
const SETTLED_MS = 5000;
const SWEEP_EVERY_MS = 60 * 60_000;

export interface DirectoryOptions {
  readonly dataDir: string;
  readonly sandbox: Sandbox;
  readonly log: Log;
  /** If false, builds' writes are watched even if they could be limited. */
  readonly mayLimitDisk?: boolean;
}

export class BuildDirectories {
  readonly #closed: string;
  readonly #isOpen: boolean;
  readonly #log: Log;
  readonly #mayLimit: boolean;
  #tools: ReturnType<typeof findDiskTools> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DirectoryOptions) {
    this.#mayLimit = options.mayLimitDisk ?? true;
    this.#closed = join(options.dataDir, 'builds');
    // Without mounts the build's own user must reach the directory by its path, and only root can traverse the data directory.
    this.#isOpen = options.sandbox.tier === 'host' && process.getuid?.() === 0;
    this.#log = options.log;
  }

  /** Creates a directory for one build. */
  async make(): Promise<string> {
    if (this.#isOpen) {
      const open = await mkdtemp(join(tmpdir(), OPEN_PREFIX));
      await chmod(open, 0o711);
      return open;
    }
    const closed = join(this.#closed, randomUUID());
    await mkdir(closed, { recursive: true });
    return closed;
  }

  /**
   * Opens a disk of limited size in a build's directory. Returns undefined if this machine forbids mounting, so that the build's writes are
   * watched.
   */
  async disk(directory: string, limits: BuildLimits): Promise<BuildDisk | undefined> {
    const tools = await this.#diskTools();
    return tools && BuildDisk.open(tools, directory, limits);
  }

  async isLimited(): Promise<boolean> {
    return (await this.#diskTools()) !== undefined;
  }

  /** Removes a directory. Never rejects: the next sweep retries what could not be removed. */
  async remove(directory: string): Promise<void> {
    await removeTree(directory).catch((error: unknown) =>
      this.#log.warn({ err: error, directory }, 'a build’s directory could not be removed'),
    );
  }

  /** Sweeps now and every hour. */
  async startSweeping(): Promise<void> {
    this.#timer ??= setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
    await this.sweep();
  }

  stopSweeping(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Removes abandoned directories. Several servers may share the parent directory, so directories in use are kept. */
  async sweep(): Promise<void> {
    const open = (await readdir(tmpdir()).catch(() => []))
      .filter((name) => name.startsWith(OPEN_PREFIX) || name.startsWith(TRASH))
      .map((name) => join(tmpdir(), name));
    const closed = (await readdir(this.#closed).catch(() => [])).map((name) => join(this.#closed, name));
    for (const path of [...closed, ...(this.#isOpen ? open : [])]) {
      try {
        await this.#sweepOne(path);
      } catch (error) {
        this.#log.warn({ err: error, path }, 'what a build had left could not be removed; again in an hour');
      }
    }
  }

  async #sweepOne(path: string): Promise<void> {
    const info = await stat(path).catch(() => undefined);
    if (info === undefined || info.uid !== (process.getuid?.() ?? info.uid)) return;
    const ageMs = Date.now() - info.mtimeMs;
    if (path.includes(`/${TRASH}`)) return ageMs > SETTLED_MS ? emptyTrash(path) : undefined;
    const isAbandoned = ageMs > SETTLED_MS && (await isUnlocked(path));
    if (!isAbandoned && ageMs <= ABANDONED_MS) return;
    const umount = findTools(['umount'])?.umount;
    // The disk's keeper was killed with the server.
    if (umount !== undefined) await run(umount, ['-l', join(path, DISK)]).catch(() => undefined);
    await removeTree(path);
  }

  #diskTools(): ReturnType<typeof findDiskTools> {
    this.#tools ??= this.#tryDisk();
    return this.#tools;
  }

  async #tryDisk(): ReturnType<typeof findDiskTools> {
    if (!this.#mayLimit) return undefined;
    const directory = await this.make();
    try {
      return await findDiskTools(directory);
    } finally {
      await this.remove(directory);
    }
  }
}

/** Returns whether a disk's keeper died and left its lock file. */
const isUnlocked = async (directory: string): Promise<boolean> => {
  const lock = join(directory, LOCK);
  const flock = findTools(['flock'])?.flock;
  if (flock === undefined || (await stat(lock).catch(() => undefined)) === undefined) return false;
  return run(flock, ['--nonblock', lock, 'true']).then(
    () => true,
    () => false,
  );
};
