/** The flat part of YAML: `key: value`, quotes, block scalars. What would mean something else in YAML is an error, never a guess. */
import { lineError, type Found } from './secret-file-found.ts';

const start = /^(?:"([^"]+)"|'([^']+)'|([^\s#:"'][^:]*?))\s*:(?:\s+(.*))?$/s;
/** Lists, maps, anchors, aliases, tags, directives, and what YAML reserves. */
const notFlat = /^[[{&*!%@`]|^-(\s|$)|^\?(\s|$)/;
const block = /^([|>])([+-]?)\s*(#.*)?$/s;
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  '"': '"',
  '\\': '\\',
  '/': '/',
  e: '\u001b',
  ' ': ' ',
};

const doubleQuoted = (raw: string): string | undefined => {
  const inner = /^"((?:[^"\\]|\\.)*)"\s*(#.*)?$/s.exec(raw)?.[1];
  return inner?.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/gs, (_, x?: string, u?: string, letter?: string) =>
    x || u ? String.fromCharCode(Number.parseInt(x ?? u ?? '', 16)) : (escapes[letter ?? ''] ?? letter ?? ''),
  );
};
const singleQuoted = (raw: string): string | undefined => /^'((?:[^']|'')*)'\s*(#.*)?$/s.exec(raw)?.[1]?.replaceAll("''", "'");
/** `~` and `null` are no texts in YAML; an empty value is one here, as in the other formats. */
const plain = (raw: string): string => {
  const text = raw.replace(/(^|\s+)#.*$/s, '').trim();
  return text === '~' || text === 'null' ? '' : text;
};

const indentOf = (line: string): number => line.length - line.trimStart().length;
/** The lines of a block scalar that begins after `from`, without their common indent. */
const blockOf = (lines: readonly string[], from: number): string[] => {
  const rest = lines.slice(from + 1);
  const end = rest.findIndex((line) => line.trim() !== '' && indentOf(line) === 0);
  const taken = end < 0 ? rest : rest.slice(0, end);
  const indent = indentOf(taken.find((line) => line.trim() !== '') ?? '');
  return taken.map((line) => line.slice(Math.min(indent, indentOf(line))));
};
/** `>` joins lines by spaces; an empty line is a line's end. */
const folded = (lines: readonly string[]): string =>
  lines
    .join('\n')
    .replace(/([^\n])\n(?=[^\n ])/g, '$1 ')
    .replace(/\n(\n+)/g, '$1');
const scalarOf = (style: string, chomp: string, lines: readonly string[]): string => {
  const text = style === '>' ? folded(lines) : lines.join('\n');
  const body = text.replace(/\n+$/, '');
  if (chomp === '-' || body === '') return body;
  return chomp === '+' ? `${text}\n` : `${body}\n`;
};

export const readYaml = (text: string): Found => {
  const lines = text.split(/\r?\n/);
  // The text's own last line end is no line of a block.
  if (lines.at(-1) === '') lines.pop();
  const found: Found = { entries: [], errors: [] };
  for (let index = 0; index < lines.length; index++) {
    const number = index + 1;
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line) || /^(---|\.\.\.)\s*$/.test(line)) continue;
    if (/^\s/.test(line) || notFlat.test(line)) {
      found.errors.push(lineError(number, 'SecretFileNotFlat'));
      continue;
    }
    const [, double, single, bare, raw = ''] = start.exec(line) ?? [];
    const key = double ?? single ?? bare;
    if (key === undefined) {
      found.errors.push(lineError(number, 'SecretFileLineInvalid'));
      continue;
    }
    const scalar = block.exec(raw);
    if (scalar) {
      const body = blockOf(lines, index);
      found.entries.push({ key, value: scalarOf(scalar[1] ?? '|', scalar[2] ?? '', body), line: number });
      index += body.length;
    } else if (notFlat.test(raw) || /^[|>]/.test(raw)) found.errors.push(lineError(number, 'SecretFileNotFlat', { key }));
    else if (/^["']/.test(raw)) {
      const value = raw.startsWith('"') ? doubleQuoted(raw) : singleQuoted(raw);
      if (value === undefined) found.errors.push(lineError(number, 'SecretFileUnclosed', { key }));
      else found.entries.push({ key, value, line: number });
    } else found.entries.push({ key, value: plain(raw), line: number });
  }
  return found;
};
