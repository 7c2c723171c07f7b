/** Builds the program's root and starts the program, after the namespaces and the staging root are set up. */
import { readText } from '../control-groups/control-group-files.ts';
import type { SandboxCommand, SandboxTier } from '../sandbox.ts';
import type { StagingTools } from '../staging.ts';

export interface InnerTool {
  readonly tier: SandboxTier;
  /**
   * Returns the shell text of the namespaces' first process, which is their root: it runs the tool in the background, reports `ready` on
   * file 4, reads a line from file 3 before the program starts, reports `started`, and exits with the program's status.
   */
  firstProcess(tools: StagingTools, command: SandboxCommand): string;
  /** Returns the first input on file 3. `user` is the program's user inside; undefined if there is only one. */
  input(command: SandboxCommand, user: number | undefined): string;
  /** Returns the program's pid, given that of the first process. */
  program(first: number): number | undefined;
  /** For tools that outlive the program while other processes run inside. Returns those processes once the program has ended. */
  leftOver?(first: number): readonly number[];
}

const DEFAULT_TEMPORARY_MB = 256;
const DEFAULT_PROCESSES = 1024;
const OPEN_FILES = 16_384;

/** Resource limits for a program's own user, the same on every tier. Control groups, if available, limit it further. */
export const limitsOf = (command: SandboxCommand) => ({
  temporaryMegabytes: command.temporaryMegabytes ?? DEFAULT_TEMPORARY_MB,
  processes: (command.limits?.processes ?? DEFAULT_PROCESSES) * 4,
  files: Math.min(OPEN_FILES, ownFileLimit()),
});

/** A process can't pass on a higher limit than its own. */
function ownFileLimit(): number {
  const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(readText('/proc/self/limits')) ?? [];
  return hard === undefined ? OPEN_FILES : Number(hard);
}

/**
 * Runs `start` as a child of the first process. The kernel drops signals to a first process without handlers, so SIGTERM would never end an
 * ordinary program. The first process closes its output, since its message about how the program ended would appear in the log.
 */
export const waitFor = (start: string): string =>
  // As in other containers, programs may listen on any port of their own network.
  `{ echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start; } 2>/dev/null\n(\n${start}\n) &\nprogram=$!\nexec 3<&- 4>&- >/dev/null 2>&1\nwait "$program"\nexit $?`;

/**
 * For tools that read files: base64 lines of the input become the files `/state/0`, `/state/1` and so on before `ready`. They are invisible
 * after the tool has changed the root. After `started` only `start` runs, which becomes the tool.
 */
export function fromFiles(tools: StagingTools, count: number, start: string, prepare = ':'): string {
  const files = Array.from(
    { length: count },
    (_none, index) => `read -r line <&3\nprintf %s "$line" | ${tools.base64} -d >/state/${index} || exit 125`,
  );
  const steps = [
    `${tools.mount} -t tmpfs -o mode=0755,nosuid,nodev slipway /state || exit 125`,
    ...files,
    prepare,
    'echo ready >&4',
    'read -r go <&3',
  ];
  return waitFor([...steps, '[ "$go" = go ] || exit 125', 'echo started >&4', 'exec 3<&- 4>&-', start].join('\n'));
}

export const fileLines = (...contents: readonly (string | Buffer)[]): string =>
  contents.map((content) => `${(typeof content === 'string' ? Buffer.from(content) : content).toString('base64')}\n`).join('');
