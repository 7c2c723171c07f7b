/** Reads the machine's process table (Linux): parents, CPU and memory use. Empty on other systems. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly cpuMs: number;
  /** Clock ticks since boot. Together with the pid it identifies a process permanently, since pids are reused. */
  readonly startTicks: number;
}

/** Linux reports CPU time in hundredths of a second on every architecture that Node runs on. */
const MS_PER_TICK = 10;

export function readProcess(pid: number): ProcessRow | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name in parentheses may itself contain spaces and parentheses, so fields are counted from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index]);
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, parent: number(1), cpuMs: (number(11) + number(12)) * MS_PER_TICK, startTicks: number(19) };
}

export function readProcesses(): readonly ProcessRow[] {
  let entries: string[];
  try {
    entries = readdirSync('/proc');
  } catch {
    return [];
  }
  return entries.filter((entry) => /^\d+$/.test(entry)).flatMap((entry) => readProcess(Number(entry)) ?? []);
}

/** Returns a process and all its descendants, the process first. Empty if it is gone. */
export function descendants(root: number, table: readonly ProcessRow[] = readProcesses()): readonly ProcessRow[] {
  const children = Map.groupBy(table, (row) => row.parent);
  const found = table.filter((row) => row.pid === root);
  for (let index = 0; index < found.length; index++) found.push(...(children.get(found[index]!.pid) ?? []));
  return found;
}

/** Returns the living children of a process and its threads, or undefined if the kernel does not report them. */
const childrenOf = (pid: number): readonly number[] | undefined => {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return undefined;
  }
};

/**
 * Like `descendants`, but queries the kernel per process instead of reading the whole process table. May miss a child that starts while
 * others end, so don't use it for killing.
 */
export function knownDescendants(root: number): readonly number[] {
  const found = [root];
  for (let index = 0; index < found.length; index++) {
    const children = childrenOf(found[index]!);
    if (!children && existsSync(`/proc/${found[index]}`)) return descendants(root).map(({ pid }) => pid);
    found.push(...(children ?? []));
  }
  return readProcess(root) ? found.filter((pid) => readProcess(pid) !== undefined) : [];
}

/** Returns the first living child, from the kernel directly if it reports children. */
export function childOf(pid: number): number | undefined {
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return first ? Number(first) : undefined;
  } catch {
    return readProcesses().find((row) => row.parent === pid)?.pid;
  }
}

/** Returns the process's memory in bytes, without mapped files such as program text, which forks would count twice. Zeros if it is gone. */
export function memoryOf(pid: number): { readonly anonymousBytes: number; readonly sharedBytes: number } {
  let status = '';
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // The process is gone.
  }
  const bytesOf = (pattern: RegExp): number => Number(pattern.exec(status)?.[1] ?? 0) * 1024;
  return { anonymousBytes: bytesOf(/^RssAnon:\s+(\d+) kB$/m), sharedBytes: bytesOf(/^RssShmem:\s+(\d+) kB$/m) };
}

export function ownMemoryBytes(pid: number): number {
  const { anonymousBytes, sharedBytes } = memoryOf(pid);
  return anonymousBytes + sharedBytes;
}

/** Sends SIGKILL to a process and all its descendants. Ignores processes that are gone. */
export function killTree(root: number): void {
  for (const row of descendants(root)) killQuietly(row.pid, 'SIGKILL');
}

/** Returns false if the process no longer exists. Signal 0 only checks. */
export function killQuietly(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
