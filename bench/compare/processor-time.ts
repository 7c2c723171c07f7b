/** Processor seconds of a process and everything below it, with what its ended children had used: on a shared machine they lie less than the clock. */
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second in which Linux counts processor time (USER_HZ). The value is the same on every platform that Node supports. */
const ticksPerSecond = 100;

interface Usage {
  readonly parent: number;
  readonly ticks: number;
}

const usageOf = (pid: string): Usage | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; what follows is state, parent, and so on (proc_pid_stat(5)).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
};

/** 0 where the system does not tell. */
export const processorMs = (root: number): number => {
  if (process.platform !== 'linux') return 0;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const usages = new Map(pids.flatMap((pid) => [[Number(pid), usageOf(pid)] as const]));
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(usages.get(pid)?.parent ?? 0));
  const ticks = [...usages].reduce((sum, [pid, usage]) => sum + (usage && isBelow(pid) ? usage.ticks : 0), 0);
  return (ticks * 1000) / ticksPerSecond;
};
