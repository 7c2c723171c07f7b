/**
 * Parses JSON with places: each value has its pointer and its offsets. Stricter than JSON.parse in one point: a duplicate member is a
 * problem, since parsers differ in which one they use.
 */
import { parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import type { JsonValue } from '@slipway/foundation/ports/schema.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import type { Span } from './source-text.ts';

export interface JsonObject extends Span {
  readonly kind: 'object';
  readonly members: ReadonlyMap<string, JsonNode>;
  /** Places of the member names. */
  readonly names: ReadonlyMap<string, Span>;
}
export interface JsonArray extends Span {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}
export interface JsonString extends Span {
  readonly kind: 'string';
  readonly value: string;
}
export interface JsonNumber extends Span {
  readonly kind: 'number';
  readonly value: number;
  /** As written, since a long may exceed a JavaScript number. */
  readonly text: string;
}
export interface JsonBoolean extends Span {
  readonly kind: 'boolean';
  readonly value: boolean;
}
export interface JsonNull extends Span {
  readonly kind: 'null';
}
export type JsonNode = JsonObject | JsonArray | JsonString | JsonNumber | JsonBoolean | JsonNull;

export interface JsonProblem extends Span {
  readonly message: string;
}

export type JsonResult = { readonly root: JsonNode } | { readonly problems: readonly JsonProblem[] };

export const parseJson = (text: string): JsonResult => {
  const deep = tooDeep(text);
  if (deep !== undefined)
    return { problems: [{ path: '', from: deep, to: deep + 1, message: `Brackets are nested more than ${maxBrackets} deep.` }] };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  if (errors.length > 0 || tree === undefined) return { problems: syntaxProblems(text, errors) };
  const problems: JsonProblem[] = [];
  const root = nodeOf(tree, '', { text, problems, budget: new Budget(schemaLimits.bytes, 'values') });
  return problems.length > 0 ? { problems } : { root };
};

/** The parser recurses for each bracket, so the depth is limited first. Half of a JSON schema's brackets are types. */
const maxBrackets = schemaLimits.depth * 4;

/** Returns the offset of the first bracket that is too deep. */
const tooDeep = (text: string): number | undefined => {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isText) {
      if (letter === '\\') at++;
      else if (letter === '"' || letter === '\n') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === '{' || letter === '[') {
      if (++depth > maxBrackets) return at;
    } else if (letter === '}' || letter === ']') depth--;
  }
  return undefined;
};

const sentences: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is no JSON value. Texts need double quotes.',
  InvalidNumberFormat: 'This is no number as JSON writes it.',
  PropertyNameExpected: 'The name of a member is expected here, in double quotes. A comma before } is one too many.',
  ValueExpected: 'A value is expected here. A comma before ] is one too many.',
  ColonExpected: 'A colon is expected here.',
  CommaExpected: 'A comma is expected here.',
  CloseBraceExpected: 'A } is missing here.',
  CloseBracketExpected: 'A ] is missing here.',
  EndOfFileExpected: 'The text goes on after its end.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfComment: 'JSON has no comments.',
  UnexpectedEndOfString: 'The text that begins here has no closing quote on its line.',
  UnexpectedEndOfNumber: 'This number is not finished.',
  InvalidUnicode: 'After \\u four hexadecimal digits are expected.',
  InvalidEscapeCharacter: 'JSON has no such escape.',
  InvalidCharacter: 'A control character must be escaped here.',
};

const syntaxProblems = (text: string, errors: readonly ParseError[]): JsonProblem[] => {
  if (text.trim() === '') return [{ path: '', from: 0, to: 0, message: 'There is no content.' }];
  const problems = errors.slice(0, schemaLimits.listed).map(({ error, offset, length }) => ({
    path: '',
    from: offset,
    to: offset + length,
    message: sentences[printParseErrorCode(error)] ?? 'This is no JSON.',
  }));
  return problems.length > 0 ? problems : [{ path: '', from: 0, to: 0, message: 'This is no JSON.' }];
};

interface Reading {
  readonly text: string;
  readonly problems: JsonProblem[];
  readonly budget: Budget;
}

/** Escapes a name as a part of a JSON pointer. */
export const pointerPart = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const nodeOf = (node: Node, path: string, reading: Reading): JsonNode => {
  reading.budget.spend();
  const span = { path, from: node.offset, to: node.offset + node.length };
  switch (node.type) {
    case 'object':
      return objectOf(node, span, reading);
    case 'array':
      return { ...span, kind: 'array', items: (node.children ?? []).map((item, index) => nodeOf(item, `${path}/${index}`, reading)) };
    case 'number':
      return { ...span, kind: 'number', value: Number(node.value), text: reading.text.slice(span.from, span.to) };
    case 'boolean':
      return { ...span, kind: 'boolean', value: node.value === true };
    case 'null':
      return { ...span, kind: 'null' };
    default:
      return { ...span, kind: 'string', value: String(node.value) };
  }
};

const objectOf = (node: Node, span: Span, reading: Reading): JsonObject => {
  const members = new Map<string, JsonNode>();
  const names = new Map<string, Span>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    const path = `${span.path}${pointerPart(name)}`;
    const keySpan = { path, from: key.offset, to: key.offset + key.length };
    if (members.has(name)) reading.problems.push({ ...keySpan, message: `“${name}” stands here twice.` });
    members.set(name, nodeOf(value, path, reading));
    names.set(name, keySpan);
  }
  return { ...span, kind: 'object', members, names };
};

/** Returns the value, with members in order. `__proto__` is an ordinary name. */
export const valueOf = (node: JsonNode): JsonValue => {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries([...node.members].map(([name, member]) => [name, valueOf(member)]));
    case 'array':
      return node.items.map(valueOf);
    case 'null':
      return null;
    default:
      return node.value;
  }
};

/** Returns canonical JSON: sorted members, no spaces, integers without a decimal point. */
export const canonicalJson = (node: JsonNode): string => {
  switch (node.kind) {
    case 'object':
      return `{${[...node.members]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
        .join(',')}}`;
    case 'array':
      return `[${node.items.map(canonicalJson).join(',')}]`;
    case 'number':
      return Number.isSafeInteger(node.value) ? String(node.value) : node.text;
    case 'null':
      return 'null';
    default:
      return JSON.stringify(node.value);
  }
};

/** Returns a member of an object, or undefined for other values. */
export const member = (node: JsonNode | undefined, name: string): JsonNode | undefined =>
  node?.kind === 'object' ? node.members.get(name) : undefined;

export const textMember = (node: JsonNode | undefined, name: string): string | undefined => {
  const found = member(node, name);
  return found?.kind === 'string' ? found.value : undefined;
};
