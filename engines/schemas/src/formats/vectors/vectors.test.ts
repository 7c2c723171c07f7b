/**
 * Compares our verdicts with those of other implementations, on pairs of schemas and on single ones. Every difference is listed here with
 * its reason. The tests fail for obsolete and for new differences.
 */
import { Ajv } from 'ajv';
// oxlint-disable-next-line no-restricted-imports -- where Ajv documents this draft
import { Ajv2019 } from 'ajv/dist/2019.js';
// oxlint-disable-next-line no-restricted-imports -- where Ajv documents this draft
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { ParsedSchema, SchemaType } from '@slipway/foundation/ports/schema.ts';
import { checkCompatibility } from '../check-compatibility.ts';
import { parseSchema } from '../parse-schema.ts';
import { readChanges, readPairs, readValidity } from './read-vectors.fixture.ts';
import type { Vector } from './read-vectors.fixture.ts';

const parsed = (type: SchemaType, text: string): ParsedSchema => {
  const result = parseSchema(type, text);
  if (!result.ok) throw new Error(`${text}: ${result.problems[0]?.message}`);
  return result.schema;
};

/** The verdict does not depend on who is judged, except that only the judged version can reuse a number that the other one reserved. */
const isCompatible = (type: SchemaType, { reader, writer }: Vector): boolean => {
  const [own, other] = [parsed(type, reader), parsed(type, writer)];
  const [asReader, asWriter] = (['reader', 'writer'] as const).map((judged) => checkCompatibility(own, other, judged));
  const codes = (issues = asReader) => (issues ?? []).filter(({ code }) => code !== 'RESERVED_NUMBER_REUSED').length > 0;
  expect(codes(asReader), `${reader} and ${writer}`).toBe(codes(asWriter));
  return asReader?.length === 0;
};

const differencesOf = (type: SchemaType, vectors: readonly Vector[]): string[] =>
  vectors.filter((vector) => isCompatible(type, vector) !== vector.isCompatible).map(({ name }) => name);

/** A reason, and the vectors that differ because of it. A trailing star matches any suffix. */
interface Difference {
  readonly why: string;
  readonly vectors: readonly string[];
  /** Set if another source, or the specification, contradicts this one. */
  readonly isContradicted?: true;
}

const isOf = ({ vectors }: Difference, name: string): boolean =>
  vectors.some((listed) => (listed.endsWith('*') ? name.startsWith(listed.slice(0, -1)) : name === listed));

const expectDifferences = (found: readonly string[], listed: readonly Difference[]): void => {
  expect(found.filter((name) => !listed.some((difference) => isOf(difference, name)))).toEqual([]);
  expect(
    listed.flatMap(({ vectors }) => vectors).filter((name) => !found.some((other) => isOf({ why: '', vectors: [name] }, other))),
  ).toEqual([]);
};

const apicurioJson: readonly Difference[] = [
  {
    why: 'anyOf with "type": "string" and maxLength accepts every value, whatever the length: nothing that was written is refused',
    vectors: ['Complex, anyOf 1, forward'],
  },
  {
    why: 'a short text fits "type": "string" and the maxLength that is new or longer: two alternatives of a oneOf, which refuses it',
    vectors: ['Complex, oneOf 1, backward', 'Complex, oneOf 3, backward'],
  },
];

const karapaceJson: readonly Difference[] = [
  {
    why: '"true" accepts every value, not objects alone: so says Apicurio’s vector “Basic, true”, and the specification',
    vectors: ['true refuses *'],
    isContradicted: true,
  },
  {
    why: 'nothing satisfies "false", so nothing of it was written: so says Apicurio’s vector “Basic, false”',
    vectors: [
      'a-int-object refuses false',
      'a-int-b-int-required-object refuses false',
      'not-of-true refuses false',
      'not-of-empty refuses false',
    ],
    isContradicted: true,
  },
  { why: '"false" accepts nothing', vectors: ['false reads true'], isContradicted: true },
  {
    why: '"propertyNames" is compared: so says Apicurio’s vector “Object, propertyNames”',
    vectors: ['property-names-astar-object reads a-object', 'property-names-astar-object reads b-int-object'],
    isContradicted: true,
  },
  {
    why: 'the schema {} accepts every value: Confluent’s PROPERTY_WITH_EMPTY_SCHEMA_ADDED_TO_OPEN_CONTENT_MODEL, which is compatible',
    vectors: [
      'a-object refuses object',
      'a-object refuses property-names-astar-object',
      'pattern-property-astar-object refuses b-int-object',
    ],
    isContradicted: true,
  },
  {
    why: 'a tuple whose first item is an integer, and that says nothing of others, accepts every list of integers',
    vectors: ['tuple-of-int-open refuses array-of-int'],
  },
];

const protobuf: readonly Difference[] = [
  {
    why: 'names are not on the wire: Confluent’s and Karapace’s registries take a new name of a field or a value, and Karapace’s vector call-renamed says so',
    vectors: ['name-reused refuses name-reserved', 'part-renamed refuses two-parts', 'states-renamed refuses states'],
    isContradicted: true,
  },
  {
    why: 'a field may go without a reservation: Karapace’s vector visit-without-tugs says so. The number is only checked where it was reserved',
    vectors: ['one-part refuses two-parts'],
    isContradicted: true,
  },
  {
    why: 'a single text can be read where a list was written, as the language guide says: the last one counts',
    vectors: ['tags-one refuses tags-many'],
    isContradicted: true,
  },
  {
    why: 'services are no messages: no topic holds one',
    vectors: ['rpc-one refuses rpc-two', 'rpc-stream refuses rpc-one', 'rpc-other refuses rpc-one'],
    isContradicted: true,
  },
];

const tables: readonly {
  readonly file: string;
  readonly type: SchemaType;
  readonly vectors: readonly Vector[];
  readonly differences: readonly Difference[];
  readonly atLeast: number;
}[] = [
  { file: 'avro-apache.txt', type: 'AVRO', vectors: readPairs('avro-apache.txt'), differences: [], atLeast: 190 },
  { file: 'avro-apicurio.txt', type: 'AVRO', vectors: readChanges('avro-apicurio.txt'), differences: [], atLeast: 8 },
  { file: 'json-apicurio.txt', type: 'JSON', vectors: readChanges('json-apicurio.txt'), differences: apicurioJson, atLeast: 290 },
  { file: 'json-karapace.txt', type: 'JSON', vectors: readPairs('json-karapace.txt'), differences: karapaceJson, atLeast: 320 },
  { file: 'protobuf.txt', type: 'PROTOBUF', vectors: readPairs('protobuf.txt'), differences: protobuf, atLeast: 50 },
];

describe('compatibility', () => {
  it.each(tables)('agrees with $file but for what is listed', ({ type, vectors, differences, atLeast }) => {
    expect(vectors.length).toBeGreaterThanOrEqual(atLeast);
    expectDifferences(differencesOf(type, vectors), differences);
  });

  it('agrees with 99 % of all vectors that no other one contradicts', () => {
    const counted = tables.map(({ type, vectors, differences }) => {
      const contradicted = differences.filter((difference) => difference.isContradicted === true);
      const asked = vectors.filter(({ name }) => !contradicted.some((difference) => isOf(difference, name)));
      return { asked: asked.length, differing: differencesOf(type, asked).length };
    });
    const [asked, differing] = [
      counted.reduce((sum, { asked }) => sum + asked, 0),
      counted.reduce((sum, { differing }) => sum + differing, 0),
    ];
    expect((asked - differing) / asked, `${differing} of ${asked} differ`).toBeGreaterThanOrEqual(0.99);
  });
});

const avroValidity: readonly Difference[] = [
  {
    why: 'the specification wants a name to be defined once, and before it is used. Java 1.12 alone allows more: readers in Python and Go refuse it',
    vectors: [
      '{"type": "record", "name": "Visit", "fields": [{"name": "n", "type": {"type": "record", "name": "Visit", "fields": []}}]}',
      '{"type": "record", "name": "Visit", "fields": [{"name": "b", "type": "K"}, *',
    ],
  },
  { why: 'the specification wants letters of ASCII', vectors: ['{"type": "record", "name": "V\\u00e9hicule", "fields": []}'] },
  {
    why: 'Java ignores a namespace that is no text: its author meant something',
    vectors: ['{"type": "record", "name": "Visit", "namespace": 5, "fields": []}'],
  },
  { why: 'Java reads comments, which are no JSON: other readers stop at them', vectors: ['// c\n"int"'] },
];

describe('validity', () => {
  it.each([
    { file: 'avro-validity.txt', type: 'AVRO' as const, differences: avroValidity },
    {
      file: 'protobuf-validity.txt',
      type: 'PROTOBUF' as const,
      differences: [{ why: 'nothing can be written with a file that declares nothing', vectors: ['syntax = "proto3";'] }],
    },
  ])('agrees with $file but for what is listed', ({ file, type, differences }) => {
    const texts = readValidity(file);
    expect(texts.length).toBeGreaterThan(140);
    expectDifferences(
      texts.filter(({ text, isValid }) => parseSchema(type, text).ok !== isValid).map(({ text }) => text),
      differences,
    );
  });

  const drafts = [
    { schema: 'http://json-schema.org/draft-07/schema#', ajv: new Ajv({ strict: false, validateFormats: false }) },
    { schema: 'https://json-schema.org/draft/2019-09/schema', ajv: new Ajv2019({ strict: false, validateFormats: false }) },
    { schema: 'https://json-schema.org/draft/2020-12/schema', ajv: new Ajv2020({ strict: false, validateFormats: false }) },
  ];
  const values = [
    null,
    true,
    0,
    1,
    1.5,
    -1,
    '',
    'a',
    [],
    ['a'],
    ['a', 'a'],
    [{}],
    [5],
    {},
    { a: {} },
    { a: true },
    { a: 5 },
    { a: ['b'] },
    { a: [5] },
    'string',
    ['string', 'null'],
    ['x'],
  ];
  const keywords =
    'title description type enum const multipleOf minimum exclusiveMaximum maxLength minLength maxItems uniqueItems required minProperties properties patternProperties additionalProperties propertyNames items prefixItems additionalItems contains minContains allOf anyOf oneOf not if then dependencies dependentRequired dependentSchemas definitions $defs default examples format readOnly writeOnly unevaluatedProperties unevaluatedItems contentEncoding contentSchema deprecated'.split(
      ' ',
    );

  it.each(drafts)('agrees with the meta-schema $schema on every keyword with every kind of value', ({ schema, ajv }) => {
    const differing = keywords.flatMap((keyword) =>
      values.flatMap((value) => {
        const text = { $schema: schema, [keyword]: value };
        return parseSchema('JSON', JSON.stringify(text)).ok === (ajv.validateSchema(text) === true)
          ? []
          : [`${keyword} ${JSON.stringify(value)}`];
      }),
    );
    // The draft itself allows these two: its meta-schema only requires a list, and Ajv's copy requires more.
    expect(differing).toEqual(schema.includes('draft-07') ? ['enum []', 'enum ["a","a"]'] : []);
  });
});
