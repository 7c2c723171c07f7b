/** What all tiers share of a running command: its ending, its signals, what it uses. A tier adds how to find the program and how to join it. */
import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { mapLimited } from '#kernel/map-limited.ts';
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
  /** Spawned detached, with pipes at 1, 2, 3 (input) and 4 (status: a line for each step it has taken). */
  readonly child: ChildProcess;
  /** Written to file 3: at once, or, where it says `map` first, after `map` was called. */
  readonly input: string;
  /** Called at the line `map`: gives the user namespace of this process its users. */
  readonly map?: (wrapper: number) => void;
  /** Files by which the command is put into its control group at the line `ready`, before the program starts. */
  readonly joinFiles: readonly string[];
  /** Whether it has a network of its own from the line `ready` on. */
  readonly hasNetwork: boolean;
  readonly controlGroups: ControlGroups | undefined;
  readonly memoryWatch: MemoryWatch | undefined;
  /** The program's process id on the machine, given the wrapper's; called at a line that begins with `started`. */
  readonly program: (wrapper: number, status: string) => number | undefined;
  /** What still runs inside although the program has ended, where the wrapper waits for that, too. */
  readonly leftOver?: (wrapper: number) => readonly number[];
  readonly join: (program: number, command: readonly string[]) => Joining;
}

const FIND_ATTEMPTS = 500;
const FIND_PAUSE_MS = 4;
/** How soon it is noticed that a program has ended and left others behind. */
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
    // The order matters: these handlers stand before anything is awaited, or a fast end would go unseen.
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
    // Wrappers answer a program's signal in the way of shells, as 128 and its number.
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
    // Descendants are looked up while they still are ones; the group catches those whose parents have ended before.
    if (this.#parts.child.exitCode === null && this.#parts.child.signalCode === null) killTree(pid);
    killQuietly(-pid, 'SIGKILL');
  }

  /** Answers each step of the set-up; resolves with the line that says that the program runs. */
  async #follow(): Promise<string | undefined> {
    const { child, input, map } = this.#parts;
    const pipe = inputOf(child);
    if (!map) pipe.write(input);
    // Only now: a child that could not be spawned has no pipes.
    if (child.pid === undefined) return undefined;
    for await (const line of createInterface({ input: child.stdio[4] as Readable })) {
      if (line.startsWith('started')) {
        // Where there was nothing to say it is a lifeline, which must not close before the server ends.
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
        // Whatever was refused, the program must not start without it.
        this.#killAll();
      }
    }
    return undefined;
  }

  /** The program waits for this: from its first instruction on it is limited and has its network. */
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
   * A runtime ends when nothing runs inside any more, and then as the program did: what the program left behind is killed, again and again
   * while it forks, and in the end with the runtime itself.
   */
  async #endWithProgram(): Promise<void> {
    const { child, leftOver } = this.#parts;
    let program: number | undefined;
    void this.#program.then((pid) => (program = pid));
    for (let attempt = 0; this.#isRunning && child.pid !== undefined && attempt < END_ATTEMPTS;) {
      // There may be thousands of instances: while the program is there, this one call is all that it costs.
      const left = program !== undefined && killQuietly(program, 0) ? [] : (leftOver?.(child.pid) ?? []);
      for (const pid of left) killQuietly(pid, 'SIGKILL');
      if (left.length > 0) attempt++;
      await delay(left.length > 0 ? FIND_PAUSE_MS : LOOK_EVERY_MS, undefined, { ref: false });
    }
    if (this.#isRunning) this.#killAll();
  }

  async #findProgram(line: string): Promise<number | undefined> {
    const { pid } = this.#parts.child;
    // A wrapper may speak a moment before it forks the program.
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
  // A command that ended before it read: its exit tells the reason, the broken pipe nothing more.
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
