/** What builds the program's root and starts the program, once the namespaces and the staging root stand. */
import { readText } from '../control-groups/control-group-files.ts';
import type { SandboxCommand, SandboxTier } from '../sandbox.ts';
import type { StagingTools } from '../staging.ts';

export interface InnerTool {
  readonly tier: SandboxTier;
  /**
   * Shell text of the first process of the namespaces, who is their root: runs the tool in the background, says `ready` on file 4, reads a
   * line from file 3 before the program starts, says `started`, and ends as the program does.
   */
  firstProcess(tools: StagingTools, command: SandboxCommand): string;
  /** What file 3 brings it first. `user` is who the program is inside; undefined when there is just one. */
  input(command: SandboxCommand, user: number | undefined): string;
  /** The program's process id, from that of the first process. */
  program(first: number): number | undefined;
  /** For tools that outlive the program while anything else runs inside: those other processes, once the program has ended. */
  leftOver?(first: number): readonly number[];
}

const DEFAULT_TEMPORARY_MB = 256;
const DEFAULT_PROCESSES = 1024;
const OPEN_FILES = 16_384;

/** What a program may have at most, by its own user; the same on every tier. Control groups limit it besides, where there are any. */
export const limitsOf = (command: SandboxCommand) => ({
  temporaryMegabytes: command.temporaryMegabytes ?? DEFAULT_TEMPORARY_MB,
  processes: (command.limits?.processes ?? DEFAULT_PROCESSES) * 4,
  files: Math.min(OPEN_FILES, ownFileLimit()),
});

/** Nobody may hand down more than he has. */
function ownFileLimit(): number {
  const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(readText('/proc/self/limits')) ?? [];
  return hard === undefined ? OPEN_FILES : Number(hard);
}

/**
 * The first process must not be the program itself: the kernel drops signals to a first process that has no handler for them, so that
 * SIGTERM would never end an ordinary program. Its own output is closed, or its word on how the program ended would stand in the log.
 */
export const waitFor = (start: string): string =>
  // Programs expect to listen on any port of a network that is theirs alone, as in other containers.
  `{ echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start; } 2>/dev/null\n(\n${start}\n) &\nprogram=$!\nexec 3<&- 4>&- >/dev/null 2>&1\nwait "$program"\nexit $?`;

/**
 * For tools that read files: the lines of the input, in base64, become the files `/state/0`, `/state/1` and so on before it says `ready`.
 * They are gone from sight when the tool has changed the root. From `started` on there is nothing but `start`, which becomes the tool.
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
