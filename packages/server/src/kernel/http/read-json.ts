/**
 * Reads a JSON body. A linear look at the text comes before the parser: brackets thousands deep, a key that stands twice (readers
 * disagree on which counts) and keys that reach for a prototype are refused, each at the first place where it is seen.
 */
import { Problem } from '../problem.ts';

export const MAX_DEPTH = 64;
const POISON = new Set(['__proto__']);

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

/** The offset of the quote that ends the text which begins at `start`; the length of the whole where none does. */
const endOfText = (json: string, start: number): number => {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return json.length;
};

const keyOf = (text: string): string => (text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1));

/** Throws what is wrong with the nesting and the keys; answers how many characters and texts it looked at. Syntax is the parser's. */
export const inspectJson = (json: string): number => {
  /** The keys of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  let text = '';
  let steps = 0;
  for (let at = 0; at < json.length; at += 1) {
    steps += 1;
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(json, at);
      text = json.slice(at, end + 1);
      at = end;
    } else if (code === COLON) noteKey(open.at(-1), text);
    else if (code === COMMA) text = '';
    else if (code === 123 || code === 91) {
      open.push(code === 123 ? new Set() : null);
      if (open.length > MAX_DEPTH) throw new Problem('BodyTooDeep', { context: { max: String(MAX_DEPTH) } });
    } else if (code === 125 || code === 93) open.pop();
  }
  return steps;
};

const noteKey = (keys: Set<string> | null | undefined, text: string): void => {
  if (!keys) return;
  const key = keyOf(text);
  if (keys.has(key) || POISON.has(key))
    throw new Problem('BodyKeyInvalid', { field: key.slice(0, 100), context: { key: key.slice(0, 100) } });
  keys.add(key);
};

export const readJson = (json: string): unknown => {
  inspectJson(json);
  return JSON.parse(json);
};
