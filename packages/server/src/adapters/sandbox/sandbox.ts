/**
 * What runs a foreign program (a service's instance, a build) apart from the platform: its own root file system,
 * processes, network and user, never the server's environment or data directory. Four tiers stand behind this interface.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Doorway } from './network/network-namespace.ts';

/** How well a tier separates. `host` separates nothing: the program sees the machine as the server's user does. */
export type SandboxTier = 'oci' | 'bubblewrap' | 'unshare' | 'host';

/** A directory or file of the machine that appears inside; where it is missing in the root file system, its mount point is made. */
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
  /** Processes and threads together; 1024 when not given. */
  readonly processes?: number;
}

export interface SandboxCommand {
  /** Unique among everything that runs on this machine; letters, digits and hyphens. Names the control group and the host name. */
  readonly id: string;
  /** Directory with the unpacked image, itself readable by everybody (0755); the directories above it need not be. Shared between commands unless its root is writable. */
  readonly rootfs: string;
  /** Writable only where the file system's rights let `uid` write. False when not given. */
  readonly isRootWritable?: boolean;
  readonly binds: readonly SandboxBind[];
  /** Program and arguments, as inside; a bare program name is looked up along `env.PATH`. */
  readonly command: readonly string[];
  /** Absolute path inside. */
  readonly cwd: string;
  /**
   * The whole environment: nothing is inherited. Only the program itself gets it, none of the machine's programs before it; it never
   * appears in a process list.
   */
  readonly env: Readonly<Record<string, string>>;
  /** User and group on the machine, used when the server runs as root (see `Sandbox.isUidUsed`). `hostUid` makes one. */
  readonly uid: number;
  /** No limits when not given. */
  readonly limits?: SandboxLimits;
  /** It yields to everything else: less processor time while others want it, and the first to be killed when the machine is out of memory. */
  readonly isYielding?: boolean;
  /** What its network leads to; nothing else is in reach, where `Sandbox.hasNetworks`. None when not given. */
  readonly doorways?: readonly Doorway[];
  /** Size of the private `/tmp`, which ends with the command; 256 when not given. */
  readonly temporaryMegabytes?: number;
}

export interface SandboxExit {
  /** undefined code and a signal when a signal ended it. 125: the sandbox itself could not be set up (see stderr); 126 and 127 as in shells. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly isOutOfMemory: boolean;
}

export interface SandboxUsage {
  /** Processor time used since the start. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

export interface SandboxExec {
  /** null when it was killed at its time limit or by a signal. */
  readonly code: number | null;
  readonly isTimeout: boolean;
  /** stdout and stderr together, at most 64 KiB. */
  readonly output: string;
}

export interface SandboxedProcess {
  /** Only for its stdout and stderr; its pid is a wrapper's, so use `signal` and `pid`. */
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Never rejects: a command that cannot be started ends with code 125. */
  readonly exited: Promise<SandboxExit>;
  /**
   * SIGKILL ends everything inside. Other signals reach the program itself (never a wrapper), once it runs; a program without a
   * handler for SIGTERM dies of it.
   */
  signal(signal: NodeJS.Signals): void;
  /** The program's process id on the machine; undefined when it ended before it ran. */
  pid(): Promise<number | undefined>;
  /** Process ids on the machine of everything that runs inside; empty when ended or not on Linux. */
  processes(): readonly number[];
  /** undefined when ended or where the machine does not tell. */
  usage(): SandboxUsage | undefined;
  /** A connection to a port that it listens on; fails like one on this machine. */
  connect(port: number): Socket;
  /** Runs a further command inside, with the same user and environment. */
  exec(command: readonly string[], timeoutMs: number): Promise<SandboxExec>;
}

export interface Sandbox {
  readonly tier: SandboxTier;
  /** `enforced` by control groups; `observed`: memory is sampled each second and a process above its limit killed, processor time is not limited. */
  readonly limits: 'enforced' | 'observed';
  /** Whether each command has a network of its own; else all share the machine's. */
  readonly hasNetworks: boolean;
  /** Whether `SandboxCommand.uid` runs the program; else the server's own user does. What it must read or write belongs to that one. */
  readonly isUidUsed: boolean;
  /**
   * Throws where a bind's target leads to `/`, `/proc`, `/dev`, `/sys` or `/tmp`, by itself or by links of the image.
   *
   * Starts the command; every handler is in place when this returns, so that not even the fastest crash is missed. Everything inside
   * dies with the server, even when that is killed.
   */
  spawn(command: SandboxCommand): SandboxedProcess;
  /** Kills and removes what a dead server left under this id. */
  clean(id: string): void;
}
