/**
 * What the search over a log means: words that must stand in the line, or a regular expression; a level; an instance. `level:` and
 * `instance:` may also stand among the words.
 */
import type { LogLevel, LogLine } from './log-line.ts';

export interface LogFilter {
  /** Lower case; all of them must stand in the line. */
  readonly words: readonly string[];
  /** Instead of words; without the flag `g`, so that testing it keeps no place. */
  readonly pattern?: RegExp;
  readonly levels: readonly LogLevel[];
  /** Part of the instance's name. */
  readonly source: string;
  /** What is marked in a line that fits; with the flag `g`. */
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

/** Undefined where the text is no regular expression. */
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
  /** As in `level:`; empty for all. */
  level?: string;
  /** Of the select; `instance:` in the text is stronger. */
  source?: string;
}

const withPattern = ({ text, level = '', source = '' }: LogSearch): LogFilter => {
  const base = { words: [], levels: levelsOf[level] ?? [], source };
  const [pattern, marker] = [compiled(text, 'i'), compiled(text, 'gi')];
  return text === '' || !pattern || !marker ? base : { ...base, pattern, marker };
};

/** `level:warn` shows warnings and worse. */
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

/** The same lines without the search: for looking from find to find among all of them. */
export const withoutSearch = ({ levels, source }: LogFilter): LogFilter => ({ words: [], levels, source });

/** A line may be a megabyte; what stands so far behind is for the download. */
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

/** The text in pieces; every second one is a match. */
export const piecesOf = (text: string, marker: RegExp | undefined): string[] => {
  if (!marker) return [text];
  const pieces: string[] = [];
  let end = 0;
  for (const found of text.matchAll(marker)) {
    // `a*` fits everywhere, also where there is nothing to mark.
    if (found[0] === '') continue;
    pieces.push(text.slice(end, found.index), found[0]);
    end = found.index + found[0].length;
  }
  return [...pieces, text.slice(end)];
};

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
