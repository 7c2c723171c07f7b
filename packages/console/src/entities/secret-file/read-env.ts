/** Lines `KEY=value` as dotenv, Bash (`export KEY='value'`) and PowerShell (`$env:KEY = "value"`) write them. */
import { lineError, type Found } from './found.ts';

const start = /^\s*(?:export\s+|\$env:|\$\{env:)?([^\s=:#}]+)\}?\s*=\s*(.*)$/s;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$', '`': '`' };
/** In double quotes; a backslash before anything else stays. */
const unescape = (text: string): string => text.replace(/\\([nrt"\\$`])/g, (_, letter: string) => escapes[letter] ?? letter);

/** Where the quote closes: the first that no backslash protects; in single quotes a backslash protects nothing. */
const closing = (text: string, quote: string): number => {
  for (let at = 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return -1;
};

interface Quoted {
  readonly value: string;
  /** How many lines it took. */
  readonly taken: number;
  /** What follows on its last line. */
  readonly rest: string;
}
/** A quoted value may go on over lines; undefined where it does not end. */
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
      // A hash begins a comment only after a space: passwords hold hashes.
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
