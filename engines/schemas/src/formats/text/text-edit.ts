/** Edits of a schema's text: creates and applies fixes. */
import type { SchemaFix, TextEdit } from '@slipway/foundation/ports/schema.ts';
import type { JsonArray, JsonNode, JsonObject } from './json-text.ts';

export const replaced = (node: Stretch, text: string): TextEdit => ({ from: node.from, to: node.to, text });

/** Inserts after the last member, on its line. */
export const withMember = (object: JsonObject, name: string, value: string): TextEdit => {
  const last = [...object.members.values()].at(-1);
  const member = `${JSON.stringify(name)}: ${value}`;
  return last === undefined ? replaced(object, `{ ${member} }`) : { from: last.to, to: last.to, text: `, ${member}` };
};

/** Inserts at `index`, or at the end. */
export const withItem = (array: JsonArray, value: string, index = array.items.length): TextEdit => {
  const before = array.items[index - 1];
  if (before !== undefined) return { from: before.to, to: before.to, text: `, ${value}` };
  const after = array.items[index];
  return after === undefined ? replaced(array, `[${value}]`) : { from: after.from, to: after.from, text: `${value}, ` };
};

/** Removes a member with its comma. */
export const withoutMember = (object: JsonObject, name: string): TextEdit => {
  const order = [...object.members.keys()];
  const index = order.indexOf(name);
  const [before, after] = [object.members.get(order[index - 1] ?? ''), object.names.get(order[index + 1] ?? '')];
  const start = object.names.get(name)?.from ?? object.from;
  return without({ from: start, to: object.members.get(name)?.to ?? start }, index > 0 ? before : undefined, after);
};

export const withoutItem = (array: JsonArray, item: JsonNode): TextEdit => {
  const index = array.items.indexOf(item);
  return without(item, array.items[index - 1], array.items[index + 1]);
};

/** Each edit removes the comma before it, so that neighbors can be removed together. */
const without = (own: Stretch, before: Stretch | undefined, after: Stretch | undefined): TextEdit =>
  before !== undefined ? { from: before.to, to: own.to, text: '' } : { from: own.from, to: after?.from ?? own.to, text: '' };

type Stretch = Pick<TextEdit, 'from' | 'to'>;

/** Applies the edits of all fixes. Skips an edit that overlaps an earlier one. The next check tells whether it is still needed. */
export const applyFixes = (text: string, fixes: readonly SchemaFix[]): string => {
  const edits = fixes.flatMap((fix) => [...fix.edits]).sort((a, b) => a.from - b.from || a.to - b.to);
  let result = '';
  let at = 0;
  let last: TextEdit | undefined;
  for (const edit of edits) {
    if (edit.from < at || (last !== undefined && last.from === edit.from && last.text === edit.text)) continue;
    result += text.slice(at, edit.from) + edit.text;
    at = edit.to;
    last = edit;
  }
  return result + text.slice(at);
};
