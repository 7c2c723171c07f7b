/** Reads the classification of a field in a JSON document (an Avro field, a JSON Schema), from the attribute names in common use. */
import type { JsonNode } from './json-text.ts';
import { member } from './json-text.ts';

const names = ['classification', 'dataSecurityClassification', 'x-classification'];
const tagLists = ['confluent:tags', 'tags', 'x-tags'];

/** Returns the classification in upper case, the first tag if it is a list. */
export const classificationOf = (...nodes: readonly (JsonNode | undefined)[]): { classification?: string } => {
  for (const node of nodes) {
    for (const name of names) {
      const value = member(node, name);
      if (value?.kind === 'string' && isWord(value.value)) return { classification: value.value.toUpperCase() };
    }
    for (const name of tagLists) {
      const list = member(node, name);
      const tag = list?.kind === 'array' ? list.items[0] : list;
      if (tag?.kind === 'string' && isWord(tag.value)) return { classification: tag.value.toUpperCase() };
    }
  }
  return {};
};

const isWord = (text: string): boolean => text.length > 0 && text.length <= 50;
