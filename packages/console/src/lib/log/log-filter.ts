/** What the search field over a log means: words that must stand in the line, and `level:` and `instance:` before others. */
import type { LogLevel, LogLine } from './log-line.ts';

export interface LogFilter {
  /** Lower case; all of them must stand in the line. */
  readonly words: readonly string[];
  readonly levels: readonly LogLevel[];
  /** Part of the instance's name. */
  readonly source: string;
}

export const noFilter: LogFilter = { words: [], levels: [], source: '' };
export const isFiltering = ({ words, levels, source }: LogFilter): boolean => words.length > 0 || levels.length > 0 || source !== '';

const levelsOf: Readonly<Record<string, readonly LogLevel[]>> = {
  error: ['error'],
  warn: ['warn', 'error'],
  warning: ['warn', 'error'],
  info: ['info', 'warn', 'error'],
};

/** Splits at spaces, but keeps "words in quotes" together. */
const termsOf = (text: string): string[] => [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** `level:warn` shows warnings and worse. */
export const parseLogFilter = (text: string, source = ''): LogFilter => {
  const words: string[] = [];
  let levels: readonly LogLevel[] = [];
  let named = source;
  for (const term of termsOf(text.toLowerCase())) {
    const [key, value = ''] = term.split(/:(.*)/s);
    if (key === 'level' && levelsOf[value]) levels = levelsOf[value];
    else if (key === 'instance' && value !== '') named = value;
    else if (term !== '') words.push(term);
  }
  return { words, levels, source: named };
};

export const matches = ({ text, level, source }: Pick<LogLine, 'text' | 'level' | 'source'>, filter: LogFilter): boolean => {
  if (filter.source !== '' && !source?.toLowerCase().includes(filter.source.toLowerCase())) return false;
  if (filter.levels.length > 0 && !filter.levels.includes(level)) return false;
  if (filter.words.length === 0) return true;
  const lower = text.toLowerCase();
  return filter.words.every((word) => lower.includes(word));
};

/** The text in pieces; every second one is a match. */
export const piecesOf = (text: string, words: readonly string[]): string[] => {
  if (words.length === 0) return [text];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return text.split(new RegExp(`(${escaped.join('|')})`, 'i'));
};
