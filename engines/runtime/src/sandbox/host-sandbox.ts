/**
 * No sandbox: the image's program runs as a process of the machine. For development on machines without namespaces (macOS, plain
 * containers). As root, the program still gets its own user. Limits are only observed, and binds are not mounted.
 */
import { spawn } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { MemoryWatch } from './control-groups/memory-watch.ts';
import { isReachable, reachableRoot } from './reachable-root.ts';
import { existsInRoot, resolveInRoot } from './root-path.ts';
import { RunningCommand } from './running-command.ts';
import type { Sandbox, SandboxCommand, SandboxedProcess } from './sandbox.ts';
import { execYielding } from './yielding.ts';

/**
 * File 3 is the lifeline: the server never writes to it, and it closes only when the server is gone. The program runs in the background,
 * because the shell must wait for both ends.
 */
const KEEPER = [
  // Only shell built-ins: PATH is the program's and may lack other tools.
  '(while read -r line; do :; done <&3; kill -9 0) 4>&- & lifeline=$!',
  '"$@" 3<&- 4>&- & program=$!',
  // Silences the shell: its message about how the program ended would appear in the program's log.
  'exec >/dev/null 2>&1',
  'echo "started $program" >&4',
  'exec 4>&-',
  'wait "$program"; code=$?',
  'kill -9 "$lifeline" 2>/dev/null',
  'exit "$code"',
].join('\n');

export class HostSandbox implements Sandbox {
  readonly tier = 'host';
  readonly isUidUsed = process.getuid?.() === 0;
  readonly limits = 'observed';
  readonly hasNetworks = false;
  readonly #memoryWatch: MemoryWatch;

  constructor(memoryWatch: MemoryWatch) {
    this.#memoryWatch = memoryWatch;
  }

  spawn(given: SandboxCommand): SandboxedProcess {
    const command = this.isUidUsed ? { ...given, rootfs: reachableRoot(given.rootfs) } : given;
    const cwd = join(command.rootfs, resolveInRoot(command.rootfs, command.cwd));
    const user = this.isUidUsed ? { uid: command.uid, gid: command.uid } : {};
    // Applied to the keeper, whose children inherit niceness and OOM score.
    const keeper = command.isYielding
      ? execYielding(command, ['/bin/sh', '-c', KEEPER, 'sh', ...onHost(command, command.command)])
      : KEEPER;
    const child = spawn('/bin/sh', ['-c', keeper, 'sh', ...onHost(command, command.command)], {
      env: { ...command.env },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
      ...user,
    });
    return new RunningCommand({
      command,
      child,
      input: '',
      joinFiles: [],
      hasNetwork: false,
      controlGroups: undefined,
      memoryWatch: this.#memoryWatch,
      program: (_wrapper, status) => Number(/started (\d+)/.exec(status)?.[1]),
      join: (_program, further) => {
        const script = ['-c', 'exec "$@" 3<&-', 'sh', ...onHost(command, further)];
        return { file: '/bin/sh', args: script, env: command.env, input: '', cwd, ...user };
      },
    });
  }

  clean(): void {}
}

/** Maps words that name files of the image to their paths on the machine. */
function onHost(command: SandboxCommand, words: readonly string[]): readonly string[] {
  const mapped = words.map((word) =>
    word.startsWith('/') && existsInRoot(command.rootfs, word) ? join(command.rootfs, resolveInRoot(command.rootfs, word)) : word,
  );
  const [program = '', ...rest] = mapped;
  // Images contain Linux programs. On other systems the server's own Node replaces the image's.
  const isForeignNode = basename(program) === 'node' && (process.platform !== 'linux' || !program.startsWith('/'));
  return [isForeignNode ? nodeFor(command) : program, ...rest];
}

/**
 * Returns the server's own Node, or the image's if the program's user cannot reach the server's, for example below a directory that only
 * root may enter.
 */
function nodeFor({ env, rootfs }: SandboxCommand): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || isReachable(dirname(process.execPath))) return process.execPath;
  const places = (env['PATH'] ?? '').split(':').map((directory) => `${directory}/node`);
  const found = places.find((path) => path.startsWith('/') && existsInRoot(rootfs, path));
  return found === undefined ? process.execPath : join(rootfs, resolveInRoot(rootfs, found));
}
