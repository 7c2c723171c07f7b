/** Lines of a settings file: finds the line of a field, so that errors point to their place. */
import type { FieldError } from '@slipway/contract/kernel/errors.ts';

const keyIn = /^(\s*)((?:- )*)(?:"([^"]*)"|'([^']*)'|([^\s#:'"-][^:#]*?|-?[^\s#:'"-][^:]*?)):(?:\s|$)/;
const itemIn = /^(\s*)-(?:\s|$)/;

interface Level {
  indent: number;
  key: string;
  /** For a list: number of items so far. */
  items: number;
}

const pathOf = (levels: readonly Level[]): string =>
  levels.flatMap(({ key, items }) => [...(key === '' ? [] : [key]), ...(items > 0 ? [String(items - 1)] : [])]).join('.');

/** Maps the dotted path of every key in block YAML to its line, from 1. List indexes start at 0. Skips anything it can't parse. */
export const linesByPath = (yaml: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  const levels: Level[] = [{ indent: -1, key: '', items: 0 }];
  for (const [index, line] of yaml.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const item = itemIn.exec(line);
    if (item) {
      const indent = (item[1] ?? '').length;
      // A list may have the same indentation as its key.
      while (levels.length > 1 && (levels.at(-1)?.indent ?? -1) > indent) levels.pop();
      const list = levels.at(-1);
      if (list) list.items += 1;
      found.set(pathOf(levels), index + 1);
    }
    const key = keyIn.exec(line);
    if (!key) continue;
    const indent = (key[1] ?? '').length + (key[2] ?? '').length;
    const isFirstOfItem = item !== null;
    if (!isFirstOfItem) while (levels.length > 1 && (levels.at(-1)?.indent ?? -1) >= indent) levels.pop();
    levels.push({ indent, key: (key[3] ?? key[4] ?? key[5] ?? '').trim(), items: 0 });
    const path = pathOf(levels);
    if (!found.has(path)) found.set(path, index + 1);
  }
  return found;
};

/** Returns the line of a field, or of its nearest ancestor in the file. */
export const lineOfField = (lines: ReadonlyMap<string, number>, field: string): number | undefined => {
  for (let path = field; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const line = lines.get(path);
    if (line !== undefined) return line;
  }
  return undefined;
};

export interface LineError {
  /** From 1; undefined if the error belongs to no line. */
  line: number | undefined;
  error: FieldError;
}

/** Uses the line that the server reports, otherwise looks up the field's line. Sorted by line. */
export const lineErrors = (errors: readonly FieldError[], yaml: string): LineError[] => {
  const lines = linesByPath(yaml);
  return errors
    .map((error) => {
      const reported = Number(error.context?.['line']);
      if (Number.isInteger(reported) && reported > 0) return { line: reported, error };
      return { line: error.field === undefined ? undefined : lineOfField(lines, error.field), error };
    })
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
};

/** Returns start and end offset of a line, for a selection. */
export const lineRange = (text: string, line: number): readonly [start: number, end: number] => {
  const before = text.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, part) => sum + part.length + 1, 0);
  const end = text.indexOf('\n', start);
  return [start, end < 0 ? text.length : end];
};
