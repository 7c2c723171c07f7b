/** Makes a command yield to others: lower CPU priority, and killed first when memory runs out. */
import type { SandboxCommand } from './sandbox.ts';
import { shellWords } from './shell-script.ts';
import { findTool } from './tools/tools.ts';

const NICENESS = 10;
/** OOM score, of 1000. A process may always raise its own. */
const OOM_SCORE = 800;
/** Control group weights, a tenth of an ordinary command's: niceness counts only within a group. */
export const YIELDING_SHARES = { version1: 102, version2: 10 } as const;

/** Returns shell text that executes `words`, with lower priority if the command yields. Child processes inherit niceness and OOM score. */
export function execYielding({ isYielding }: Pick<SandboxCommand, 'isYielding'>, words: readonly string[]): string {
  if (!isYielding) return `exec ${shellWords(words)}`;
  const nice = findTool('nice');
  const prefix = nice === undefined ? [] : [nice, '-n', String(NICENESS)];
  return `${OOM_SCRIPT}; exec ${shellWords([...prefix, ...words])}`;
}

/** Does nothing on systems without this file (not Linux). */
const OOM_SCRIPT = `{ echo ${OOM_SCORE} > /proc/self/oom_score_adj; } 2>/dev/null || :`;
