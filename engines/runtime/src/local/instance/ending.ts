/** Maps an instance's end to the event that reports it. */
import { instanceEvent, type InstanceEventFacts } from '@slipway/contract/service/instance-event.ts';
import type { SandboxExit } from '../../sandbox/sandbox.ts';

export interface Circumstances {
  /** Reason if the runtime itself ended the program. */
  readonly death: InstanceEventFacts | undefined;
  /** The program logged a moment before that its disk is full. */
  readonly isDiskFull: boolean;
  readonly memoryMegabytes: number;
}

/** Exit code of the sandbox if it could not start the program. */
const SET_UP_FAILED = 125;

export function endingOf(exit: SandboxExit, { death, isDiskFull, memoryMegabytes }: Circumstances): InstanceEventFacts {
  if (exit.isOutOfMemory) return instanceEvent('OOMKilled', { limitMegabytes: memoryMegabytes });
  if (death !== undefined) return death;
  if (exit.code === SET_UP_FAILED) return instanceEvent('StartFailed', { obstacle: 'Sandbox' });
  const how = { ...(exit.code === null ? {} : { exitCode: exit.code }), ...(exit.signal === null ? {} : { signal: exit.signal }) };
  const isFailed = exit.signal !== null || exit.code !== 0;
  return instanceEvent(isDiskFull && isFailed ? 'DiskFull' : 'Exited', how);
}

export const exitOf = ({ code, signal }: SandboxExit): { code: number | null; signal: string | null } => ({ code, signal });
