/** How a command is made to yield to everybody else: it is nicer than they are, and the first that the kernel kills for want of memory. */
import type { SandboxCommand } from './sandbox.ts';
import { shellWords } from './shell-script.ts';
import { findTool } from './tools/tools.ts';

const NICENESS = 10;
/** Of 1000. A process may always raise its own. */
const OOM_SCORE = 800;
/** What an ordinary command weighs among control groups is ten times this; niceness counts within a group alone. */
export const YIELDING_SHARES = { version1: 102, version2: 10 } as const;

/** Shell text: becomes the words, yielding where the command is to. What starts them inherits both. */
export function execYielding({ isYielding }: Pick<SandboxCommand, 'isYielding'>, words: readonly string[]): string {
  if (!isYielding) return `exec ${shellWords(words)}`;
  const nice = findTool('nice');
  const prefix = nice === undefined ? [] : [nice, '-n', String(NICENESS)];
  return `${OOM_SCRIPT}; exec ${shellWords([...prefix, ...words])}`;
}

/** Where there is no such file (not Linux) there is nothing to raise. */
const OOM_SCRIPT = `{ echo ${OOM_SCORE} > /proc/self/oom_score_adj; } 2>/dev/null || :`;
