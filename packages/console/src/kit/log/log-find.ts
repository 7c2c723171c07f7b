/** The next line that a search finds, round the end of the log. */
import { matchesText, type LogFilter } from './log-filter.ts';
import type { LogLine } from './log-line.ts';

/** Index of the nearest fitting line after (or before) `from`, which itself is the last to be looked at; -1 where none fits. */
export const nextFind = (lines: readonly Pick<LogLine, 'text'>[], search: LogFilter, from: number, direction: 1 | -1): number => {
  const count = lines.length;
  for (let step = 1; step <= count; step += 1) {
    const index = (((from + direction * step) % count) + count) % count;
    const line = lines[index];
    if (line && matchesText(line.text, search)) return index;
  }
  return -1;
};
