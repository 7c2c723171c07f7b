/**
 * Decides which parts of a decoded message may be shown. Pure. Masks fields that the schema classifies as CONFIDENTIAL or RESTRICTED. In a
 * topic of such a class, masks every field that the schema does not classify lower. A masked value becomes null, and its path and class are
 * listed; not even its length is visible.
 */
import type { TopicField } from '@slipway/contract/streaming/message.ts';
import { dataClassifications, isMasked, type DataClassification } from '@slipway/contract/streaming/streaming.ts';

export interface ClassifiedField {
  readonly name: string;
  /** As written in the schema. */
  readonly classification?: string;
  readonly children: readonly ClassifiedField[];
  /** The type contains itself, so the tree ends here. */
  readonly isRecursive?: boolean;
}
export interface Masked {
  readonly value: unknown;
  readonly masked: readonly { readonly path: string; readonly classification: DataClassification }[];
}
type Found = { path: string; classification: DataClassification }[];

const isClass = (word: string): word is DataClassification => dataClassifications.some((name) => name === word);
/** Treats an unknown class (such as `PII`) as confidential. */
export const classOf = (word: string | undefined): DataClassification | undefined => {
  if (word === undefined) return undefined;
  return isClass(word) ? word : 'CONFIDENTIAL';
};

/** Returns whether a field below a masked field may be shown. */
const hasFreer = (fields: readonly ClassifiedField[]): boolean =>
  fields.some(({ classification, children }) => {
    const own = classOf(classification);
    return (own !== undefined && !isMasked(own)) || hasFreer(children);
  });
const isLeaf = (value: unknown): boolean => typeof value !== 'object' || value === null;
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Values inherit the class of the containing field, unless they have their own. */
const inside = (value: unknown, field: ClassifiedField | undefined, above: DataClassification, path: string, found: Found): unknown => {
  const classification = classOf(field?.classification) ?? above;
  const below = field?.children ?? [];
  if (isMasked(classification) && (isLeaf(value) || field?.isRecursive === true || !hasFreer(below))) {
    found.push({ path, classification });
    return null;
  }
  return within(value, below, classification, path, found);
};
interface TypedField extends ClassifiedField {
  readonly type: string;
  readonly children: readonly TypedField[];
}
const pathOf = (above: string, name: string): string => (name === '*' ? `${above}[]` : above === '' ? name : `${above}.${name}`);

/** Returns what `maskValue` would do with each field, without a message. */
export const fieldsOf = (fields: readonly TypedField[], above: DataClassification, place = ''): TopicField[] =>
  fields.flatMap((field) => {
    const { name, type, children, isRecursive = false } = field;
    const classification = classOf(field.classification) ?? above;
    const path = pathOf(place, name);
    const isWhole = children.length === 0 || isRecursive || (isMasked(classification) && !hasFreer(children));
    return isWhole ? [{ path, type, classification, isMasked: isMasked(classification) }] : fieldsOf(children, classification, path);
  });

/** `*` matches the items of an array and the values of a map. */
const within = (value: unknown, fields: readonly ClassifiedField[], above: DataClassification, path: string, found: Found): unknown => {
  const each = fields.find(({ name }) => name === '*');
  if (Array.isArray(value)) return value.map((item: unknown, index) => inside(item, each, above, `${path}/${index}`, found));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const field = fields.find((one) => one.name === name) ?? each;
      return [name, inside(item, field, above, `${path}/${escaped(name)}`, found)];
    }),
  );
};

/** `topic`: class of the topic, the default for values without a class. */
export const maskValue = (value: unknown, fields: readonly ClassifiedField[], topic: DataClassification): Masked => {
  const found: Found = [];
  const shown = inside(value, { name: '', children: fields, classification: topic }, topic, '', found);
  return { value: shown, masked: found };
};
