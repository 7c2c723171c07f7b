/** Describes the changes of a new schema version, for the list of versions and beside the verdict. Compares the trees of fields. */
import type { ParsedSchema, SchemaChange, SchemaField } from '@slipway/foundation/ports/schema.ts';

export const schemaChanges = (before: ParsedSchema, after: ParsedSchema): SchemaChange[] => changesOf(before.fields(), after.fields());

const changesOf = (before: readonly SchemaField[], after: readonly SchemaField[]): SchemaChange[] => {
  const old = new Map(before.map((field) => [field.name, field]));
  const kept = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((field): SchemaChange[] => {
      const former = old.get(field.name);
      if (former === undefined) return [{ kind: 'ADDED', path: field.path, message: `${field.path} added`, line: field.line }];
      const inside = [...symbolChanges(former, field), ...changesOf(former.children, field.children)];
      const type: SchemaChange[] =
        former.type === field.type
          ? []
          : [{ kind: 'CHANGED', path: field.path, message: `${field.path}: ${former.type} became ${field.type}`, line: field.line }];
      return [...type, ...inside];
    }),
    ...before
      .filter(({ name }) => !kept.has(name))
      .map(({ path }): SchemaChange => ({ kind: 'REMOVED', path, message: `${path} removed` })),
  ];
};

const symbolChanges = (before: SchemaField, after: SchemaField): SchemaChange[] => {
  const [old, now] = [new Set(before.symbols), new Set(after.symbols)];
  return [
    ...[...now].filter((symbol) => !old.has(symbol)).map((symbol) => symbolChange('ADDED', after, symbol)),
    ...[...old].filter((symbol) => !now.has(symbol)).map((symbol) => symbolChange('REMOVED', after, symbol)),
  ];
};

const symbolChange = (kind: 'ADDED' | 'REMOVED', field: SchemaField, symbol: string): SchemaChange => ({
  kind,
  path: `${field.path}.${symbol}`,
  message: `${symbol} ${kind === 'ADDED' ? 'added' : 'removed'}`,
  line: field.line,
});
