/** Collects references transitively, each once, dependencies first. */
import type { SchemaReference } from './schema-format.ts';
import { LimitError, schemaLimits } from './schema-limits.ts';

export const referenceList = (references: readonly SchemaReference[]): SchemaReference[] => {
  const found = new Map<string, SchemaReference>();
  const walk = (list: readonly SchemaReference[], depth: number): void => {
    if (depth > schemaLimits.depth) throw new LimitError(`references that are nested more than ${schemaLimits.depth} deep`);
    for (const reference of list) {
      if (found.has(reference.name)) continue;
      walk(reference.references ?? [], depth + 1);
      found.set(reference.name, reference);
      if (found.size > schemaLimits.references) throw new LimitError(`more than ${schemaLimits.references} references`);
    }
  };
  walk(references, 0);
  const bytes = [...found.values()].reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (bytes > schemaLimits.bytes) throw new LimitError(`references of more than ${schemaLimits.bytes} bytes`);
  return [...found.values()];
};
