/**
 * Reads a JSON body. A linear scan before the parser rejects deep nesting, duplicate keys (readers disagree on which one counts) and
 * prototype keys, each at its first occurrence.
 */
import { Problem } from './problem.ts';

export const MAX_DEPTH = 64;
const POISON = new Set(['__proto__']);

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

/** Returns the offset of the quote that ends the string starting at `start`, or the length of the text if there is none. */
const endOfText = (json: string, start: number): number => {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return json.length;
};

const keyOf = (text: string): string => (text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1));

/** Throws for invalid nesting or keys. Returns the number of characters and strings it visited. Syntax errors are left to the parser. */
export const inspectJson = (json: string): number => {
  /** Keys of each open object, null for an array. */
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
