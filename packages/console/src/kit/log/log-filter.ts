/**
 * Parses the search over a log: words that a line must contain, or a regular expression; a level; an instance. The words may include
 * `level:` and `instance:`.
 */
import type { LogLevel, LogLine } from './log-line.ts';

export interface LogFilter {
  /** Lower case; a line must contain all of them. */
  readonly words: readonly string[];
  /** Used instead of words. Has no `g` flag, so that `test` is stateless. */
  readonly pattern?: RegExp;
  readonly levels: readonly LogLevel[];
  /** Part of the instance's name. */
  readonly source: string;
  /** Matches to highlight; has the `g` flag. */
  readonly marker?: RegExp;
}

export const noFilter: LogFilter = { words: [], levels: [], source: '' };
export const isSearching = ({ words, pattern }: LogFilter): boolean => words.length > 0 || pattern !== undefined;
export const isFiltering = (filter: LogFilter): boolean => isSearching(filter) || filter.levels.length > 0 || filter.source !== '';

const levelsOf: Readonly<Record<string, readonly LogLevel[]>> = {
  error: ['error'],
  warn: ['warn', 'error'],
  warning: ['warn', 'error'],
  info: ['info', 'warn', 'error'],
};

/** Splits at spaces, but keeps "words in quotes" together. */
const termsOf = (text: string): string[] => [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** Returns undefined if the text is not a valid regular expression. */
const compiled = (text: string, flags: string): RegExp | undefined => {
  try {
    return new RegExp(text, flags);
  } catch {
    return undefined;
  }
};
export const isPattern = (text: string): boolean => compiled(text, 'i') !== undefined;

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const markerOf = (words: readonly string[]): RegExp | undefined =>
  words.length === 0 ? undefined : compiled(words.map(escaped).join('|'), 'gi');

export interface LogSearch {
  text: string;
  isRegex?: boolean;
  /** A level as in `level:`; empty for all. */
  level?: string;
  /** Instance from the select; `instance:` in the text overrides it. */
  source?: string;
}

const withPattern = ({ text, level = '', source = '' }: LogSearch): LogFilter => {
  const base = { words: [], levels: levelsOf[level] ?? [], source };
  const [pattern, marker] = [compiled(text, 'i'), compiled(text, 'gi')];
  return text === '' || !pattern || !marker ? base : { ...base, pattern, marker };
};

/** Parses the search; `level:warn` selects warnings and errors. */
export const parseLogFilter = (search: LogSearch): LogFilter => {
  if (search.isRegex) return withPattern(search);
  const words: string[] = [];
  let levels = levelsOf[search.level ?? ''] ?? [];
  let source = search.source ?? '';
  for (const term of termsOf(search.text.toLowerCase())) {
    const [key, value = ''] = term.split(/:(.*)/s);
    if (key === 'level' && levelsOf[value]) levels = levelsOf[value];
    else if (key === 'instance' && value !== '') source = value;
    else if (term !== '') words.push(term);
  }
  const marker = markerOf(words);
  return { words, levels, source, ...(marker ? { marker } : {}) };
};

/** Returns the filter without its search, to step through matches among all lines. */
export const withoutSearch = ({ levels, source }: LogFilter): LogFilter => ({ words: [], levels, source });

/** A line can be a megabyte long: a regular expression searches only its first part. */
const searchedCharacters = 10_000;

export const matchesText = (text: string, { words, pattern }: LogFilter): boolean => {
  if (pattern) return pattern.test(text.length > searchedCharacters ? text.slice(0, searchedCharacters) : text);
  if (words.length === 0) return true;
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
};

export const matches = ({ text, level, source }: Pick<LogLine, 'text' | 'level' | 'source'>, filter: LogFilter): boolean => {
  if (filter.source !== '' && !source?.toLowerCase().includes(filter.source.toLowerCase())) return false;
  if (filter.levels.length > 0 && !filter.levels.includes(level)) return false;
  return matchesText(text, filter);
};

/** Splits the text into pieces; every second piece is a match. */
export const piecesOf = (text: string, marker: RegExp | undefined): string[] => {
  if (!marker) return [text];
  const pieces: string[] = [];
  let end = 0;
  for (const found of text.matchAll(marker)) {
    // `a*` also matches the empty string: nothing to highlight there.
    if (found[0] === '') continue;
    pieces.push(text.slice(end, found.index), found[0]);
    end = found.index + found[0].length;
  }
  return [...pieces, text.slice(end)];
};

/** Returns the index of the nearest match after (or before) `from`, which is checked last; -1 if nothing matches. */
export const nextFind = (lines: readonly Pick<LogLine, 'text'>[], search: LogFilter, from: number, direction: 1 | -1): number => {
  const count = lines.length;
  for (let step = 1; step <= count; step += 1) {
    const index = (((from + direction * step) % count) + count) % count;
    const line = lines[index];
    if (line && matchesText(line.text, search)) return index;
  }
  return -1;
};
