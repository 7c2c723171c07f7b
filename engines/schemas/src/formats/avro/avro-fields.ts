/** The fields of an Avro record as a tree, for columns, masking and search. */
import type { SchemaField } from '@slipway/foundation/ports/schema.ts';
import { schemaLimits } from '../schema-limits.ts';
import { classificationOf } from '../text/classification.ts';
import { member } from '../text/json-text.ts';
import type { AvroField, AvroRecord, AvroType } from './avro-type.ts';
import { typeLabel } from './avro-type.ts';

/** The tree repeats a type for each use. Fields beyond this limit are omitted. */
const maxFields = 5000;

export const avroFields = (root: AvroType): SchemaField[] => new FieldTree().below(root, '', []);

class FieldTree {
  #count = 0;

  below(type: AvroType, path: string, open: readonly AvroRecord[]): SchemaField[] {
    if (open.length > schemaLimits.depth) return [];
    const inner = contentOf(type);
    if (inner.kind === 'record') {
      if (open.includes(inner)) return [];
      return inner.fields.flatMap((field) => (++this.#count > maxFields ? [] : [this.#field(field, path, [...open, inner])]));
    }
    const item = inner.kind === 'array' ? inner.items : inner.kind === 'map' ? inner.values : undefined;
    if (item === undefined) return [];
    const itemPath = joined(path, '*');
    const children = this.below(item, itemPath, open);
    if (children.length === 0) return [];
    return [{ name: '*', path: itemPath, type: typeLabel(item), isOptional: isOptional(item), line: lineOf(item), children }];
  }

  #field(field: AvroField, parent: string, open: readonly AvroRecord[]): SchemaField {
    const path = joined(parent, field.name);
    const inner = contentOf(field.type);
    const isRecursive = recordIn(inner, open);
    const record = open.at(-1);
    return {
      name: field.name,
      path,
      type: typeLabel(field.type),
      isOptional: isOptional(field.type),
      ...(field.doc === undefined ? {} : { doc: field.doc }),
      ...classificationOf(field.node, member(field.node, 'type')),
      ...(inner.kind === 'enum' ? { symbols: inner.symbols } : {}),
      ...(isRecursive ? { isRecursive } : {}),
      line: record === undefined ? 1 : record.source.place(field.node).line,
      children: this.below(field.type, path, open),
    };
  }
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const isOptional = (type: AvroType): boolean => type.kind === 'union' && type.branches.some(({ kind }) => kind === 'null');

/** Returns the other type of a nullable type. */
const contentOf = (type: AvroType): AvroType => {
  const others = type.kind === 'union' ? type.branches.filter(({ kind }) => kind !== 'null') : [];
  return others.length === 1 && others[0] !== undefined ? others[0] : type;
};

const recordIn = (type: AvroType, open: readonly AvroRecord[]): boolean => {
  const inner = contentOf(type);
  if (inner.kind === 'array') return recordIn(inner.items, open);
  if (inner.kind === 'map') return recordIn(inner.values, open);
  return inner.kind === 'record' && open.includes(inner);
};

const lineOf = (type: AvroType): number => type.source.place(type.node).line;
