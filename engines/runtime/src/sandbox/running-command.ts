/** Shared parts of a running command on all tiers: exit, signals and usage. A tier adds how to find the program and how to join it. */
import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import type { ControlGroups } from './control-groups/control-group-files.ts';
import type { MemoryWatch } from './control-groups/memory-watch.ts';
import { NetworkNamespace } from './network/network-namespace.ts';
import { childOf, descendants, killQuietly, killTree, knownDescendants, ownMemoryBytes } from './process-tree.ts';
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
  /** Spawned detached, with pipes at 1, 2, 3 (input) and 4 (status: one line per completed step). */
  readonly child: ChildProcess;
  /** Written to file 3: immediately, or after `map` if `map` is given. */
  readonly input: string;
  /** Called on the status line `map`. Maps users into the user namespace of this process. */
  readonly map?: (wrapper: number) => void;
  /** Files that add the command to its control group on the status line `ready`, before the program starts. */
  readonly joinFiles: readonly string[];
  /** Whether the command has its own network from the status line `ready` on. */
  readonly hasNetwork: boolean;
  readonly controlGroups: ControlGroups | undefined;
  readonly memoryWatch: MemoryWatch | undefined;
  /** Returns the program's pid on the machine, given the wrapper's pid. Called on a status line that starts with `started`. */
  readonly program: (wrapper: number, status: string) => number | undefined;
  /** Returns the processes that outlived the program. Needed if the wrapper waits for them too. */
  readonly leftOver?: (wrapper: number) => readonly number[];
  readonly join: (program: number, command: readonly string[]) => Joining;
}

const FIND_ATTEMPTS = 500;
const FIND_PAUSE_MS = 4;
/** Interval for detecting that a program has ended and left other processes behind. */
const LOOK_EVERY_MS = 200;
const END_ATTEMPTS = 500;
const MAX_OUTPUT = 64 * 1024;
const NO_SANDBOX: SandboxExit = { code: 125, signal: null, isOutOfMemory: false };

export class RunningCommand implements SandboxedProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly exited: Promise<SandboxExit>;
  readonly #parts: RunningParts;
  readonly #program: Promise<number | undefined>;
  #isRunning = true;
  #isOutOfMemory = false;
  #network: NetworkNamespace | undefined;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.child = parts.child as ChildProcessByStdio<null, Readable, Readable>;
    // These handlers must be attached before anything is awaited. Otherwise a fast exit would be missed.
    this.exited = new Promise((resolve) => {
      parts.child.once('error', () => resolve(this.#end(NO_SANDBOX)));
      parts.child.once('exit', (code, signal) => resolve(this.#end(this.#exit(code, signal))));
    });
    const started = this.#follow();
    if (parts.leftOver) void started.then((line) => (line === undefined ? undefined : this.#endWithProgram()));
    this.#program = started.then((line) => (line === undefined ? undefined : this.#findProgram(line)));
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
    return pid === undefined || !this.#isRunning ? [] : knownDescendants(pid);
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

  connect(port: number): net.Socket {
    if (!this.#parts.hasNetwork) return net.connect({ host: '127.0.0.1', port });
    if (this.#network) return this.#network.connect(port);
    const socket = new net.Socket();
    socket.destroy(Object.assign(new Error('The program is not running.'), { code: 'ECONNREFUSED' }));
    return socket;
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
    // Wrappers report a program's signal like shells, as 128 plus its number.
    const passedOn = signal ?? (code !== null && code > 128 ? signalName(code - 128) : undefined);
    return passedOn ? { code: null, signal: passedOn, isOutOfMemory } : { code, signal: null, isOutOfMemory };
  }

  #end(exit: SandboxExit): SandboxExit {
    this.#killAll();
    this.#isRunning = false;
    this.#network?.close();
    this.#network = undefined;
    this.#parts.memoryWatch?.remove(this);
    this.#parts.controlGroups?.remove(this.#parts.command.id);
    return exit;
  }

  #killAll(): void {
    const { pid } = this.#parts.child;
    if (pid === undefined) return;
    // Descendants must be found before their parents end. The process group catches those whose parents ended before.
    if (this.#parts.child.exitCode === null && this.#parts.child.signalCode === null) killTree(pid);
    killQuietly(-pid, 'SIGKILL');
  }

  /** Handles each step of the setup. Resolves with the line that reports the program's start. */
  async #follow(): Promise<string | undefined> {
    const { child, input, map } = this.#parts;
    const pipe = inputOf(child);
    if (!map) pipe.write(input);
    // Checked late, because a child that could not be spawned has no pipes.
    if (child.pid === undefined) return undefined;
    for await (const line of createInterface({ input: child.stdio[4] as Readable })) {
      if (line.startsWith('started')) {
        // With an empty input the pipe is a lifeline, which must stay open until the server ends.
        if (input !== '') pipe.end();
        return line;
      }
      try {
        if (line === 'map') {
          map?.(child.pid);
          pipe.write(`mapped\n${input}`);
        } else if (line === 'ready') {
          await this.#prepare(child.pid);
          pipe.write('go\n');
        }
      } catch {
        // The program must not start if a step failed.
        this.#killAll();
      }
    }
    return undefined;
  }

  /** Prepares limits and network before the program's first instruction; the program waits for this. */
  async #prepare(wrapper: number): Promise<void> {
    const { command, hasNetwork, joinFiles } = this.#parts;
    for (const file of joinFiles) for (const pid of knownDescendants(wrapper)) writeFileSync(file, String(pid));
    if (!hasNetwork) return;
    const inside = childOf(wrapper);
    if (inside === undefined) throw new Error('the command ended');
    this.#network = NetworkNamespace.of(inside);
    await mapLimited(command.doorways ?? [], async (doorway) => this.#network?.open(doorway));
  }

  /**
   * Ends the command when its program ends. A runtime ends only when nothing runs inside any more, so processes left behind are killed
   * repeatedly, since they may fork, and finally together with the runtime.
   */
  async #endWithProgram(): Promise<void> {
    const { child, leftOver } = this.#parts;
    let program: number | undefined;
    void this.#program.then((pid) => (program = pid));
    for (let attempt = 0; this.#isRunning && child.pid !== undefined && attempt < END_ATTEMPTS;) {
      // With thousands of instances this must be cheap: while the program runs, each check is one call.
      const left = program !== undefined && killQuietly(program, 0) ? [] : (leftOver?.(child.pid) ?? []);
      for (const pid of left) killQuietly(pid, 'SIGKILL');
      if (left.length > 0) attempt++;
      await delay(left.length > 0 ? FIND_PAUSE_MS : LOOK_EVERY_MS, undefined, { ref: false });
    }
    if (this.#isRunning) this.#killAll();
  }

  async #findProgram(line: string): Promise<number | undefined> {
    const { pid } = this.#parts.child;
    // A wrapper may report the start a moment before it forks the program.
    for (let attempt = 0; attempt < FIND_ATTEMPTS && this.#isRunning && pid !== undefined; attempt++) {
      const program = this.#parts.program(pid, line);
      if (program !== undefined) return program;
      await delay(FIND_PAUSE_MS);
    }
    return undefined;
  }
}

function inputOf(child: ChildProcess): Writable {
  const pipe = child.stdio[3] as Writable | null | undefined;
  // The command ended before reading. Its exit code has the reason, so the broken pipe is ignored.
  return pipe?.on('error', () => {}) ?? new PassThrough();
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
  inputOf(child).end(input);
  const code = await ended;
  clearTimeout(timer);
  return { code: isTimeout ? null : code, isTimeout, output };
}

function signalName(number: number): NodeJS.Signals | undefined {
  return (Object.entries(constants.signals) as [NodeJS.Signals, number][]).find(([, value]) => value === number)?.[0];
}
