/**
 * Runs a foreign program (a service's instance, a build) isolated from the platform: with its own root file system, processes, network and
 * user, and without the server's environment or data directory. Four tiers implement this interface.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Doorway } from './network/network-namespace.ts';

/** Degree of isolation. `host` isolates nothing: the program sees the machine as the server's user does. */
export type SandboxTier = 'oci' | 'bubblewrap' | 'unshare' | 'host';

/** A directory or file of the machine that is mounted inside. Its mount point is created if the root file system lacks it. */
export interface SandboxBind {
  readonly source: string;
  /** Absolute path inside. */
  readonly target: string;
  readonly isReadOnly: boolean;
}

export interface SandboxLimits {
  readonly memoryMegabytes: number;
  /** 1000 is one core. */
  readonly cpuMillicores: number;
  /** Processes and threads together. Defaults to 1024. */
  readonly processes?: number;
}

export interface SandboxCommand {
  /** Unique among all commands on this machine; letters, digits and hyphens. Used as name of the control group and host name. */
  readonly id: string;
  /**
   * Directory with the unpacked image, world-readable (0755); its parent directories need not be. Shared between commands unless its root
   * is writable.
   */
  readonly rootfs: string;
  /** Writable only within `uid`'s file system permissions. Defaults to false. */
  readonly isRootWritable?: boolean;
  readonly binds: readonly SandboxBind[];
  /** Program and arguments, as seen inside. A bare program name is looked up in `env.PATH`. */
  readonly command: readonly string[];
  /** Absolute path inside. */
  readonly cwd: string;
  /**
   * The complete environment: nothing is inherited. Only the program itself gets it, not the machine's programs that start it, so it never
   * appears in a process list.
   */
  readonly env: Readonly<Record<string, string>>;
  /** User and group on the machine, used when the server runs as root (see `Sandbox.isUidUsed`). From `hostUid`. */
  readonly uid: number;
  /** Defaults to no limits. */
  readonly limits?: SandboxLimits;
  /** Yields to everything else: gets less CPU time under load, and is killed first when the machine runs out of memory. */
  readonly isYielding?: boolean;
  /** Everything that its network reaches, if `Sandbox.hasNetworks`. Defaults to none. */
  readonly doorways?: readonly Doorway[];
  /** Size of the private `/tmp`, which is removed with the command. Defaults to 256. */
  readonly temporaryMegabytes?: number;
}

export interface SandboxExit {
  /** Null if a signal ended the command. 125: the sandbox could not be set up (see stderr). 126 and 127 as in shells. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly isOutOfMemory: boolean;
}

export interface SandboxUsage {
  /** CPU time used since the start. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

export interface SandboxExec {
  /** Null if the command was killed by its timeout or by a signal. */
  readonly code: number | null;
  readonly isTimeout: boolean;
  /** Combined stdout and stderr, at most 64 KiB. */
  readonly output: string;
}

export interface SandboxedProcess {
  /** Only for its stdout and stderr. Its pid is a wrapper's, so use `signal` and `pid`. */
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Never rejects: a command that cannot be started ends with code 125. */
  readonly exited: Promise<SandboxExit>;
  /**
   * Sends a signal. SIGKILL ends everything inside. Other signals reach only the program itself, never a wrapper, once it runs. A program
   * without a handler for SIGTERM dies of it.
   */
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the program's pid on the machine, or undefined if it ended before it ran. */
  pid(): Promise<number | undefined>;
  /** Returns the pids on the machine of everything that runs inside. Empty after the end or if not on Linux. */
  processes(): readonly number[];
  /** Undefined after the end, or if the machine does not report usage. */
  usage(): SandboxUsage | undefined;
  /** Connects to a port on which the program listens. Fails like a connection on this machine. */
  connect(port: number): Socket;
  /** Runs another command inside, with the same user and environment. */
  exec(command: readonly string[], timeoutMs: number): Promise<SandboxExec>;
}

export interface Sandbox {
  readonly tier: SandboxTier;
  /**
   * `enforced` by control groups. `observed`: memory is sampled each second and a process above its limit killed; CPU time is not limited.
   */
  readonly limits: 'enforced' | 'observed';
  /** Whether each command has its own network. Otherwise all share the machine's. */
  readonly hasNetworks: boolean;
  /**
   * Whether the program runs as `SandboxCommand.uid`. Otherwise it runs as the server's user. Files that it reads or writes must belong to
   * that user.
   */
  readonly isUidUsed: boolean;
  /**
   * Starts the command. Every handler is attached when this returns, so that even an immediate crash is observed. Everything inside dies
   * with the server, even if the server is killed.
   *
   * Throws if a bind's target resolves to `/`, `/proc`, `/dev`, `/sys` or `/tmp`, directly or by links of the image.
   */
  spawn(command: SandboxCommand): SandboxedProcess;
  /** Kills and removes what a dead server left under this id. */
  clean(id: string): void;
}
