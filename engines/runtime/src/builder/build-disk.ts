/**
 * A separate file system for a build, with a limited size and number of files that the kernel enforces. Nothing of it remains after
 * unmounting: its image file is deleted while it is in use. Only root on Linux can create one.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

import { findTools } from '../sandbox/tools/tools.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';

import type { BuildLimits } from './build-limits.ts';

/** Lock file in a build's directory, locked while its disk is mounted. */
export const LOCK = 'lock';
export const DISK = 'disk';
const IMAGE = 'disk.img';
export const DISK_TOOLS = ['sh', 'flock', 'mkfs.ext4', 'mount', 'umount', 'rm'] as const;
type DiskTools = Readonly<Record<(typeof DISK_TOOLS)[number], string>>;

/**
 * Standard input is the lifeline: when the server ends, even by SIGKILL, `read` returns and the disk is unmounted. The keeper has its own
 * process group, so that Ctrl-C in the terminal reaches only the server.
 */
const KEEPER = [
  'set -e',
  'exec 9>"$1/lock"',
  '"$FLOCK" 9',
  '"$MKFS" -q -F -m 0 -N "$2" -O ^has_journal,^resize_inode -E nodiscard,lazy_itable_init=1 "$1/disk.img" </dev/null >/dev/null 9>&-',
  '"$MOUNT" -t ext4 -o loop,nosuid,nodev,noatime,noinit_itable "$1/disk.img" "$1/disk" </dev/null 9>&-',
  '"$RM" -f "$1/disk.img"',
  'echo mounted',
  'set +e',
  'read -r line',
  '"$UMOUNT" "$1/disk" 9>&- 2>/dev/null || "$UMOUNT" -l "$1/disk" 9>&-',
].join('\n');

const MEBIBYTE = 1 << 20;
const INODE_BYTES = 256;
/** Not counted against the build: bitmaps, the few directories of the room, and the unused rest of each file's last block. */
const ADMINISTRATION_BYTES = 16 * MEBIBYTE;
const ROOM_FILES = 200;
const SHARE_FOR_BLOCKS = 1.03;
const FULL_BELOW_BYTES = 256 << 10;
const FULL_BELOW_FILES = 4;

export class BuildDisk {
  readonly folder: string;
  readonly #keeper: ChildProcess;

  private constructor(folder: string, keeper: ChildProcess) {
    this.folder = folder;
    this.#keeper = keeper;
  }

  /** Opens a disk in `directory`, which belongs to the build. Rejects with `unavailable` if the machine forbids it after all. */
  static async open(tools: DiskTools, directory: string, { bytes, files }: Pick<BuildLimits, 'bytes' | 'files'>): Promise<BuildDisk> {
    const folder = join(directory, DISK);
    const inodes = files + ROOM_FILES;
    await mkdir(folder, { recursive: true });
    const image = await open(join(directory, IMAGE), 'wx', 0o600);
    await image.truncate(Math.ceil(bytes * SHARE_FOR_BLOCKS) + inodes * INODE_BYTES + ADMINISTRATION_BYTES).finally(() => image.close());
    const keeper = spawn(tools.sh, ['-c', KEEPER, 'slipway-build-disk', directory, String(inodes)], {
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        LC_ALL: 'C',
        FLOCK: tools.flock,
        MKFS: tools['mkfs.ext4'],
        MOUNT: tools.mount,
        UMOUNT: tools.umount,
        RM: tools.rm,
      },
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    await mounted(keeper);
    await rm(join(folder, 'lost+found'), { recursive: true, force: true });
    return new BuildDisk(folder, keeper);
  }

  async isFull(): Promise<boolean> {
    const { bsize, bavail, ffree } = await statfs(this.folder);
    return bavail * bsize < FULL_BELOW_BYTES || ffree < FULL_BELOW_FILES;
  }

  /** Unmounts the disk and drops everything below `folder`. Idempotent. */
  async close(): Promise<void> {
    if (this.#keeper.exitCode !== null || this.#keeper.signalCode !== null) return;
    const exited = once(this.#keeper, 'exit');
    this.#keeper.stdin?.end();
    await exited;
  }
}

const mounted = async (keeper: ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }): Promise<void> => {
  let complaint = '';
  keeper.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 1000)));
  keeper.stdin.on('error', () => undefined);
  const failed = new Promise<never>((_resolve, reject) => {
    keeper.once('error', reject).once('close', () => reject(new Error(complaint.trim() || 'the disk could not be mounted')));
  });
  failed.catch(() => undefined);
  try {
    await Promise.race([once(keeper.stdout, 'data'), failed]);
  } catch (cause) {
    throw new PortFailure('unavailable', 'no disk of limited size can be made for the build', { context: { engine: 'builder' }, cause });
  }
};

/** Returns the tools if this machine lets us mount such a disk, which a trial in `directory` finds out. */
export const findDiskTools = async (directory: string): Promise<DiskTools | undefined> => {
  const tools = process.platform === 'linux' && process.getuid?.() === 0 ? findTools(DISK_TOOLS) : undefined;
  if (tools === undefined) return undefined;
  try {
    const trial = await BuildDisk.open(tools, directory, { bytes: MEBIBYTE, files: 1 });
    await trial.close();
    return tools;
  } catch {
    return undefined;
  }
};
