/** Holds the lines of one log outside React: lines arrive in bursts, and copying 100,000 of them per burst would be too slow. */
import type { LogLine } from './log-line.ts';

/** Maximum number of lines; more are only in the download. */
export const linesKept = 100_000;
/** Old lines are removed in batches, so that a full log does not shift with every new line. */
const dropBatch = 10_000;

export interface LogStore {
  /** Oldest first. The array keeps its identity, so compare `version`. */
  readonly lines: readonly LogLine[];
  /** Number of lines removed at the old end. */
  readonly dropped: number;
  /** Increases with every change. */
  readonly version: number;
  /** Appends lines. Skips lines whose number is not greater than the last one of their source. */
  append: (lines: readonly LogLine[]) => void;
  clear: () => void;
  subscribe: (listener: () => void) => () => void;
  /** Sources in order of appearance; the index selects the color. */
  readonly sources: ReadonlyMap<string, number>;
  /** Returns the highest line number of a source so far, 0 before its first line. */
  lastNumber: (source?: string) => number;
}

export const createLogStore = (limit = linesKept): LogStore => {
  const lines: LogLine[] = [];
  const listeners = new Set<() => void>();
  const sources = new Map<string, number>();
  const last = new Map<string, number>();
  let dropped = 0;
  let version = 0;
  const changed = (): void => {
    version += 1;
    for (const listener of listeners) listener();
  };
  const add = (line: LogLine): boolean => {
    const source = line.source ?? '';
    if (line.number <= (last.get(source) ?? 0)) return false;
    last.set(source, line.number);
    if (line.source !== undefined && !sources.has(line.source)) sources.set(line.source, sources.size);
    lines.push(line);
    return true;
  };
  return {
    lines,
    sources,
    get dropped() {
      return dropped;
    },
    get version() {
      return version;
    },
    append: (more) => {
      if (more.filter(add).length === 0) return;
      if (lines.length > limit) {
        const excess = Math.max(lines.length - limit, Math.min(dropBatch, limit / 10));
        lines.splice(0, excess);
        dropped += excess;
      }
      changed();
    },
    clear: () => {
      lines.length = 0;
      last.clear();
      sources.clear();
      dropped = 0;
      changed();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    lastNumber: (source = '') => last.get(source) ?? 0,
  };
};
