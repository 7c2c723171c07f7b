/** How an ended program is described to people. */
import type { SandboxExit } from '#adapters/sandbox/sandbox.ts';

export interface Ending {
  /** CamelCase machine word. */
  readonly reason: string;
  /** Sentence without its end. */
  readonly message: string;
}

export interface Circumstances {
  /** Why the runtime itself ended the program, if it did. */
  readonly death: Ending | undefined;
  /** It said a moment before that it could not write for want of space. */
  readonly isDiskFull: boolean;
  readonly memoryMegabytes: number;
}

export function endingOf(exit: SandboxExit, { death, isDiskFull, memoryMegabytes }: Circumstances): Ending {
  if (exit.isOutOfMemory) return { reason: 'OOMKilled', message: `It was killed for using more than its ${memoryMegabytes} MB of memory` };
  if (death !== undefined) return { reason: death.reason, message: `${death.message}, so it was killed` };
  if (exit.code === 125) return { reason: 'StartFailed', message: 'The sandbox could not be set up; its log says why' };
  const isFailed = exit.signal !== null || exit.code !== 0;
  if (isDiskFull && isFailed) return { reason: 'DiskFull', message: `Its disk was full, and it ended with ${howOf(exit)}` };
  if (exit.signal !== null) return { reason: 'Exited', message: `It was ended by ${exit.signal}` };
  return { reason: 'Exited', message: `It ended with exit code ${exit.code ?? 'unknown'}` };
}

const howOf = ({ code, signal }: SandboxExit): string => signal ?? `exit code ${code ?? 'unknown'}`;

export const exitOf = ({ code, signal }: SandboxExit): { code: number | null; signal: string | null } => ({ code, signal });

/** Milliseconds as people read them: `0.4 s`, `12 s`. */
export const seconds = (ms: number): string => `${ms < 9950 ? (ms / 1000).toFixed(1).replace('.0', '') : Math.round(ms / 1000)} s`;
