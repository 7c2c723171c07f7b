/** The supported drafts of JSON Schema and the value of each keyword: the meta-schemas as one table, so that every problem has a place. */
import type { JsonNode } from '../text/json-text.ts';
import { textMember } from '../text/json-text.ts';

/** 4 and 6 are interpreted like registries do. 7 is the default without `$schema`. */
export type Draft = 4 | 6 | 7 | 2019 | 2020;

const drafts: Readonly<Record<string, Draft>> = {
  'json-schema.org/draft-04/schema': 4,
  'json-schema.org/draft-06/schema': 6,
  'json-schema.org/draft-07/schema': 7,
  'json-schema.org/schema': 7,
  'json-schema.org/draft/2019-09/schema': 2019,
  'json-schema.org/draft/2020-12/schema': 2020,
};

/** Returns undefined for an unknown dialect. */
export const draftOf = (root: JsonNode): Draft | undefined => {
  const written = textMember(root, '$schema');
  if (written === undefined) return 7;
  const name = written.replace(/^https?:\/\//, '').replace(/#$/, '');
  return Object.hasOwn(drafts, name) ? drafts[name] : undefined;
};

export const typeNames = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'] as const;

/** The structure of a keyword's value. Keywords that contain schemas are walked, see parse-json-schema.ts. */
export type Shape =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'schemaOrSchemas'
  | 'dependencies'
  | 'text'
  | 'pattern'
  | 'number'
  | 'positive'
  | 'count'
  | 'boolean'
  | 'booleanOrNumber'
  | 'names'
  | 'nameLists'
  | 'type'
  | 'list'
  | 'any';

const always: Readonly<Record<string, Shape>> = {
  $schema: 'text',
  title: 'text',
  description: 'text',
  multipleOf: 'positive',
  maximum: 'number',
  minimum: 'number',
  maxLength: 'count',
  minLength: 'count',
  pattern: 'pattern',
  maxItems: 'count',
  minItems: 'count',
  uniqueItems: 'boolean',
  maxProperties: 'count',
  minProperties: 'count',
  required: 'names',
  additionalProperties: 'schema',
  definitions: 'schemaMap',
  properties: 'schemaMap',
  patternProperties: 'schemaMap',
  dependencies: 'dependencies',
  enum: 'list',
  type: 'type',
  format: 'text',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  $ref: 'text',
};
const upTo2019: Readonly<Record<string, Shape>> = { items: 'schemaOrSchemas', additionalItems: 'schema' };
const since6: Readonly<Record<string, Shape>> = {
  $id: 'text',
  exclusiveMaximum: 'number',
  exclusiveMinimum: 'number',
  contains: 'schema',
  propertyNames: 'schema',
  examples: 'list',
};
const since7: Readonly<Record<string, Shape>> = {
  $comment: 'text',
  readOnly: 'boolean',
  if: 'schema',
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; nobody awaits this table
  then: 'schema',
  else: 'schema',
  contentMediaType: 'text',
  contentEncoding: 'text',
};
const since2019: Readonly<Record<string, Shape>> = {
  $anchor: 'text',
  $defs: 'schemaMap',
  $vocabulary: 'any',
  writeOnly: 'boolean',
  deprecated: 'boolean',
  dependentSchemas: 'schemaMap',
  dependentRequired: 'nameLists',
  minContains: 'count',
  maxContains: 'count',
  unevaluatedItems: 'schema',
  unevaluatedProperties: 'schema',
  contentSchema: 'schema',
};

export const keywordShapes: Readonly<Record<Draft, Readonly<Record<string, Shape>>>> = {
  4: { ...always, ...upTo2019, id: 'text', exclusiveMaximum: 'boolean', exclusiveMinimum: 'boolean' },
  6: { ...always, ...upTo2019, ...since6 },
  7: { ...always, ...upTo2019, ...since6, ...since7 },
  2019: { ...always, ...upTo2019, ...since6, ...since7, ...since2019, $recursiveRef: 'text', $recursiveAnchor: 'boolean' },
  2020: {
    ...always,
    ...since6,
    ...since7,
    ...since2019,
    items: 'schema',
    prefixItems: 'schemas',
    $dynamicRef: 'text',
    $dynamicAnchor: 'text',
  },
};
