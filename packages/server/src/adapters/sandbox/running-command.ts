/** What all tiers share of a running command: its ending, its signals, what it uses. A tier adds how to find the program and how to join it. */
import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlGroups } from './control-group-files.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { descendants, killQuietly, killTree, ownMemoryBytes } from './process-tree.ts';
import type { SandboxCommand, SandboxedProcess, SandboxExec, SandboxExit, SandboxUsage } from './sandbox.ts';

export interface Joining {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written to file 3 of the joining command. */
  readonly input: string;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
}

export interface RunningParts {
  readonly command: SandboxCommand;
  /** Spawned detached, with pipes at 1, 2, 3 (input) and 4 (status). */
  readonly child: ChildProcess;
  readonly controlGroups: ControlGroups | undefined;
  readonly memoryWatch: MemoryWatch | undefined;
  /** The program's process id on the machine, given the wrapper's; called once the status pipe has spoken. */
  readonly program: (wrapper: number, status: string) => number | undefined;
  readonly join: (program: number, command: readonly string[]) => Joining;
}

const FIND_ATTEMPTS = 500;
const FIND_PAUSE_MS = 4;
const MAX_OUTPUT = 64 * 1024;
const NO_SANDBOX: SandboxExit = { code: 125, signal: null, isOutOfMemory: false };

export class RunningCommand implements SandboxedProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly exited: Promise<SandboxExit>;
  readonly #parts: RunningParts;
  readonly #program: Promise<number | undefined>;
  #isRunning = true;
  #isOutOfMemory = false;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.child = parts.child as ChildProcessByStdio<null, Readable, Readable>;
    // The order matters: these handlers stand before anything is awaited, or a fast end would go unseen.
    this.exited = new Promise((resolve) => {
      parts.child.once('error', () => resolve(this.#end(NO_SANDBOX)));
      parts.child.once('exit', (code, signal) => resolve(this.#end(this.#exit(code, signal))));
    });
    this.#program = this.#findProgram();
    parts.memoryWatch?.add(this, (parts.command.limits?.memoryMegabytes ?? 0) * 1024 * 1024, () => {
      this.#isOutOfMemory = true;
      this.signal('SIGKILL');
    });
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.#isRunning) return;
    if (signal === 'SIGKILL') this.#killAll();
    else void this.#program.then((pid) => (pid !== undefined && this.#isRunning ? killQuietly(pid, signal) : undefined));
  }

  async pid(): Promise<number | undefined> {
    return this.#program;
  }

  processes(): readonly number[] {
    const { pid } = this.#parts.child;
    return pid === undefined || !this.#isRunning ? [] : descendants(pid).map((row) => row.pid);
  }

  usage(): SandboxUsage | undefined {
    const { child, command, controlGroups } = this.#parts;
    if (child.pid === undefined || !this.#isRunning) return undefined;
    const counted = controlGroups?.usage(command.id);
    if (counted) return counted;
    const rows = descendants(child.pid);
    if (rows.length === 0) return undefined;
    return {
      cpuMs: rows.reduce((sum, row) => sum + row.cpuMs, 0),
      memoryBytes: rows.reduce((sum, row) => sum + ownMemoryBytes(row.pid), 0),
    };
  }

  async exec(command: readonly string[], timeoutMs: number): Promise<SandboxExec> {
    const program = await this.#program;
    if (program === undefined || !this.#isRunning) return { code: 126, isTimeout: false, output: 'The program is not running.' };
    const { file, args, input, ...options } = this.#parts.join(program, command);
    const child = spawn(file, args, {
      cwd: '/',
      ...options,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'ignore'],
      detached: true,
    });
    return finish(child as ChildProcess, input, timeoutMs);
  }

  #exit(code: number | null, signal: NodeJS.Signals | null): SandboxExit {
    const isOutOfMemory = this.#isOutOfMemory || (this.#parts.controlGroups?.hasRunOutOfMemory(this.#parts.command.id) ?? false);
    // Wrappers answer a program's signal in the way of shells, as 128 and its number.
    const passedOn = signal ?? (code !== null && code > 128 ? signalName(code - 128) : undefined);
    return passedOn ? { code: null, signal: passedOn, isOutOfMemory } : { code, signal: null, isOutOfMemory };
  }

  #end(exit: SandboxExit): SandboxExit {
    this.#killAll();
    this.#isRunning = false;
    this.#parts.memoryWatch?.remove(this);
    this.#parts.controlGroups?.remove(this.#parts.command.id);
    return exit;
  }

  #killAll(): void {
    const { pid } = this.#parts.child;
    if (pid === undefined) return;
    // Descendants are looked up while they still are ones; the group catches those whose parents have ended before.
    if (this.#parts.child.exitCode === null && this.#parts.child.signalCode === null) killTree(pid);
    killQuietly(-pid, 'SIGKILL');
  }

  async #findProgram(): Promise<number | undefined> {
    const status = this.#parts.child.stdio[4] as Readable;
    let text = '';
    for await (const chunk of status) {
      text += String(chunk);
      if (text.includes('\n}') || text.includes('started')) break;
    }
    const { pid } = this.#parts.child;
    if (text === '' || pid === undefined) return undefined;
    // A wrapper may speak a moment before it forks the program.
    for (let attempt = 0; attempt < FIND_ATTEMPTS && this.#isRunning; attempt++) {
      const program = this.#parts.program(pid, text);
      if (program !== undefined) return program;
      await delay(FIND_PAUSE_MS);
    }
    return undefined;
  }
}

export function sendInput(child: ChildProcess, input: string): void {
  const pipe = child.stdio[3] as Writable | null | undefined;
  // A command that ended before it read: its exit tells the reason, the broken pipe nothing more.
  pipe?.on('error', () => {});
  pipe?.end(input);
}

async function finish(child: ChildProcess, input: string, timeoutMs: number): Promise<SandboxExec> {
  let output = '';
  let isTimeout = false;
  const collect = (chunk: Buffer): void => {
    if (output.length < MAX_OUTPUT) output += chunk.toString('utf8').slice(0, MAX_OUTPUT - output.length);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const timer = setTimeout(() => {
    isTimeout = true;
    if (child.pid !== undefined) killTree(child.pid);
  }, timeoutMs);
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(126));
    child.once('close', (code) => resolve(code));
  });
  sendInput(child, input);
  const code = await ended;
  clearTimeout(timer);
  return { code: isTimeout ? null : code, isTimeout, output };
}

function signalName(number: number): NodeJS.Signals | undefined {
  return (Object.entries(constants.signals) as [NodeJS.Signals, number][]).find(([, value]) => value === number)?.[0];
}
