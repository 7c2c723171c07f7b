/** Reads `KEY=value` lines as written by dotenv, Bash (`export KEY='value'`) and PowerShell (`$env:KEY = "value"`). */
import { lineError, type Found } from './found.ts';

const start = /^\s*(?:export\s+|\$env:|\$\{env:)?([^\s=:#}]+)\}?\s*=\s*(.*)$/s;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$', '`': '`' };
/** Resolves escapes in double quotes; a backslash before any other character stays. */
const unescape = (text: string): string => text.replace(/\\([nrt"\\$`])/g, (_, letter: string) => escapes[letter] ?? letter);

/** Returns the position of the closing quote, -1 if there is none. Backslashes escape only in double quotes. */
const closing = (text: string, quote: string): number => {
  for (let at = 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return -1;
};

interface Quoted {
  readonly value: string;
  /** Number of lines read. */
  readonly taken: number;
  /** Rest of the last line, after the quote. */
  readonly rest: string;
}
/** Reads a quoted value, which may span lines. Returns undefined if it is not closed. */
const quoted = (lines: readonly string[], first: string, from: number): Quoted | undefined => {
  const quote = first[0] ?? '';
  const isOneLine = closing(first, quote) > 0;
  const text = isOneLine ? first : [first, ...lines.slice(from + 1)].join('\n');
  const end = closing(text, quote);
  if (end < 0) return undefined;
  const inner = text.slice(1, end);
  const rest = text.slice(end + 1).split('\n', 1)[0] ?? '';
  return { value: quote === '"' ? unescape(inner) : inner, taken: inner.split('\n').length, rest };
};

export const readEnv = (text: string): Found => {
  const lines = text.split(/\r?\n/);
  const found: Found = { entries: [], errors: [] };
  for (let index = 0; index < lines.length; index++) {
    const number = index + 1;
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const [, key, raw = ''] = start.exec(line) ?? [];
    if (key === undefined) {
      found.errors.push(lineError(number, 'SecretFileLineInvalid'));
      continue;
    }
    if (!/^["']/.test(raw)) {
      // A hash starts a comment only after a space, because passwords contain hashes.
      found.entries.push({ key, value: raw.replace(/(^|\s+)#.*$/s, '').trimEnd(), line: number });
      continue;
    }
    const read = quoted(lines, raw, index);
    if (!read) found.errors.push(lineError(number, 'SecretFileUnclosed', { key }));
    else if (/^\s*(#.*|;\s*)?$/s.test(read.rest)) found.entries.push({ key, value: read.value, line: number });
    else found.errors.push(lineError(number, 'SecretFileLineInvalid', { key }));
    if (read) index += read.taken - 1;
  }
  return found;
};
