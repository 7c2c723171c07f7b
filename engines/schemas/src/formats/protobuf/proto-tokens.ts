/** Tokenizes a .proto file, with the place of each token and the comment before it. Linear time. */
import { Budget, schemaLimits } from '../schema-limits.ts';

export interface ProtoToken {
  readonly kind: 'word' | 'number' | 'text' | 'sign' | 'end';
  /** As written. For a string, its value. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** The comment that ends on the previous line. */
  readonly doc?: string;
  /** The comment that follows on the same line. It belongs to the declaration that ends here. */
  readonly trailing?: string;
}

/** Thrown at the first syntax error. */
export class ProtoSyntaxError extends Error {
  override readonly name = 'ProtoSyntaxError';
  readonly from: number;
  readonly to: number;

  constructor(message: string, from: number, to = from + 1) {
    super(message);
    this.from = from;
    this.to = to;
  }
}

const space = /[\s\0]*/y;
const sameLine = /[ \t\r]*/y;
const lineComment = /\/\/(?<text>[^\n]*)/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;

const signs = new Set('{}[]()<>=;:,.+-/');
const digit = /\d/;
const needsLook = /[\s\0/]/;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

export const protoTokens = (text: string): ProtoToken[] => {
  const budget = new Budget(schemaLimits.words, 'words');
  const tokens: ProtoToken[] = [];
  let at = 0;
  for (;;) {
    budget.spend();
    const trailing = trailingComment(text, at);
    const before = tokens.pop();
    if (before !== undefined) tokens.push(trailing === undefined ? before : { ...before, trailing: trailing.text });
    const [next, doc] = afterSpace(text, trailing?.to ?? at);
    at = next;
    const token = tokenAt(text, at);
    tokens.push(doc === undefined ? token : { ...token, doc });
    if (token.kind === 'end') return tokens;
    at = token.to;
  }
};

/** Returns a line comment after the previous token. A comment that is followed by a token on its line belongs to that token. */
const trailingComment = (text: string, from: number): { readonly text: string; readonly to: number } | undefined => {
  if (from === 0 || !needsLook.test(text[from] ?? '')) return undefined;
  const gap = matchAt(sameLine, text, from)?.[0].length ?? 0;
  const found = matchAt(lineComment, text, from + gap);
  return found === null ? undefined : { text: (found.groups?.['text'] ?? '').trim(), to: from + gap + found[0].length };
};

/** Skips spaces and comments. Also returns the last comment, unless an empty line separates it from the token. */
const afterSpace = (text: string, from: number): [number, string | undefined] => {
  if (!needsLook.test(text[from] ?? '')) return [from, undefined];
  let at = from;
  let lines: string[] = [];
  for (;;) {
    const gap = matchAt(space, text, at)?.[0] ?? '';
    if (gap.split('\n', 3).length > 2) lines = [];
    at += gap.length;
    const line = matchAt(lineComment, text, at);
    if (line !== null) {
      lines.push((line.groups?.['text'] ?? '').trim());
      at += line[0].length;
      continue;
    }
    if (!text.startsWith('/*', at)) return [at, lines.length === 0 ? undefined : lines.join('\n').trim() || undefined];
    const end = text.indexOf('*/', at + 2);
    if (end < 0) throw new ProtoSyntaxError('This comment has no end.', at, at + 2);
    lines = text
      .slice(at + 2, end)
      .split('\n')
      .map((row) => row.trim().replace(/^\*+ ?/, ''));
    at = end + 2;
  }
};

const tokenAt = (text: string, at: number): ProtoToken => {
  const letter = text[at];
  if (letter === undefined) return { kind: 'end', text: '', from: at, to: at };
  if (letter === '"' || letter === "'") return textAt(text, at, letter);
  if (signs.has(letter) && !(letter === '.' && digit.test(text[at + 1] ?? ''))) return { kind: 'sign', text: letter, from: at, to: at + 1 };
  const foundWord = matchAt(word, text, at)?.[0];
  if (foundWord !== undefined) return { kind: 'word', text: foundWord, from: at, to: at + foundWord.length };
  const foundNumber = matchAt(number, text, at)?.[0];
  if (foundNumber !== undefined) {
    const end = at + foundNumber.length;
    if (/[A-Za-z_]/.test(text[end] ?? '')) throw new ProtoSyntaxError('A space is missing between a number and a name.', at, end + 1);
    return { kind: 'number', text: foundNumber, from: at, to: end };
  }
  throw new ProtoSyntaxError(`“${letter}” means nothing here.`, at);
};

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\u0007', b: '\b', f: '\f', v: '\v' };

const textAt = (text: string, from: number, quote: string): ProtoToken => {
  let value = '';
  for (let at = from + 1; at < text.length && text[at] !== '\n'; at++) {
    const letter = text[at] ?? '';
    if (letter === quote) return { kind: 'text', text: value, from, to: at + 1 };
    if (letter !== '\\') {
      value += letter;
      continue;
    }
    const escaped = text[++at] ?? '';
    const code = /[xX0-7]/.test(escaped) ? (/^(?:[xX][0-9a-fA-F]{1,2}|[0-7]{1,3})/.exec(text.slice(at, at + 3))?.[0] ?? '') : '';
    if (code === '' && /[xX]/.test(escaped)) throw new ProtoSyntaxError('After \\x hexadecimal digits are expected.', at - 1, at + 1);
    value +=
      code === ''
        ? (escapes[escaped] ?? escaped)
        : String.fromCharCode(/^[xX]/.test(code) ? parseInt(code.slice(1), 16) : parseInt(code, 8));
    at += Math.max(0, code.length - 1);
  }
  throw new ProtoSyntaxError('The text that begins here has no closing quote on its line.', from, from + 1);
};
