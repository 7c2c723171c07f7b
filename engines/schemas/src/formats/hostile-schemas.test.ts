/**
 * Users control schemas and messages. For any input, the parsers answer quickly, with a result or a proper error, and leave no state
 * behind.
 */
import { assert, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SchemaType, schemaTypes } from '@slipway/foundation/ports/schema.ts';
import { checkCompatibility } from './check-compatibility.ts';
import { parseSchema } from './parse-schema.ts';
import { MessageError } from './schema-format.ts';

/** Milliseconds. Far above what any test takes on a busy machine, far below exponential run time. */
const soon = 10_000;

const within = <Result>(work: () => Result): Result => {
  const start = performance.now();
  const result = work();
  expect(performance.now() - start).toBeLessThan(soon);
  return result;
};

const problemOf = (type: SchemaType, text: string): string | undefined => {
  const result = within(() => parseSchema(type, text));
  return result.ok ? undefined : result.problems[0]?.message;
};

/** Compares with a different version in both directions and displays the schema. Returns the codes of the issues. */
const codesOf = (type: SchemaType, before: string, after: string): string[] => {
  const [old, next] = [before, after].map((text) => {
    const result = within(() => parseSchema(type, text));
    if (!result.ok) throw new Error(result.problems[0]?.message);
    within(() => result.schema.fields());
    within(() => result.schema.sample());
    return result.schema;
  });
  if (old === undefined || next === undefined) return [];
  return within(() => [...checkCompatibility(next, old, 'reader'), ...checkCompatibility(old, next, 'writer')]).map(({ code }) => code);
};

describe.each(schemaTypes)('%s', (type) => {
  it.each([
    ['nothing', ''],
    ['a megabyte of brackets', '['.repeat(1_000_000)],
    ['a megabyte of braces', '{"a":'.repeat(200_000)],
    ['quotes', '"'.repeat(1_000_000)],
    ['backslashes', `"${'\\'.repeat(999_000)}`],
    ['zero bytes', '\0'.repeat(1_000_000)],
    ['half a letter', '"\ud800"'],
    ['a comment without end', `/*${'*'.repeat(900_000)}`],
    ['slashes', '/'.repeat(900_000)],
    ['numbers', `[${'9'.repeat(900_000)}]`],
    ['lines', '\n'.repeat(1_000_000)],
  ])('refuses %s', (_, text) => {
    expect(problemOf(type, text)).toBeTypeOf('string');
  });

  it('refuses more than a megabyte', () => {
    expect(problemOf(type, ' '.repeat(1024 * 1024 + 1))).toContain('bytes');
  });

  it('refuses references without end', () => {
    const content = { AVRO: '"int"', JSON: '{}', PROTOBUF: 'message M { }' }[type];
    const reference = { name: 'a', content, references: [] as unknown[] };
    reference.references.push(reference);
    // @ts-expect-error A reference that holds itself cannot come from JSON, but from a registry that is asked again and again.
    const result = within(() => parseSchema(type, content, [reference]));
    expect(result.ok ? '' : result.problems[0]?.message).toContain('nested');
  });
});

describe('Avro', () => {
  const record = (name: string, fields: readonly object[]) => ({ type: 'record', name, fields });

  it('compares unions of unions of records in steps that are counted', () => {
    // Each level refers to both branches of the next: two to the power of forty paths, but only forty pairs.
    const levels = (last: string): unknown =>
      Array.from({ length: 40 }).reduce<unknown>(
        (inner, _, level) =>
          record(
            `R${level}`,
            [
              { name: 'a', type: ['null', inner] },
              { name: 'b', type: ['null', `R${level - 1}`] },
            ]
              .slice(level === 0 ? 1 : 0)
              .map((field) => (level === 0 ? { name: 'a', type: last } : field)),
          ),
        'int',
      );
    expect(codesOf('AVRO', JSON.stringify(levels('int')), JSON.stringify(levels('string')))).toContain('TYPE_MISMATCH');
  });

  it('refuses more types than the limit', () => {
    const fields = Array.from({ length: 25_000 }, (_, index) => ({ name: `f${index}`, type: 'int' }));
    expect(problemOf('AVRO', JSON.stringify(record('Wide', fields)).slice(0, 1024 * 1024))).toContain('20000');
  });

  it('takes an enum of 19,000 symbols', () => {
    const of = (count: number) =>
      JSON.stringify({ type: 'enum', name: 'E', symbols: Array.from({ length: count }, (_, index) => `S${index}`) });
    expect(codesOf('AVRO', of(19_000), of(18_999))).toEqual(['MISSING_ENUM_SYMBOLS']);
  });

  it('ends at records and defaults that hold themselves', () => {
    const self = record('R', [{ name: 'r', type: 'R' }]);
    expect(
      codesOf(
        'AVRO',
        JSON.stringify(self),
        JSON.stringify(
          record('R', [
            { name: 'r', type: 'R' },
            { name: 'x', type: 'int', default: 0 },
          ]),
        ),
      ),
    ).toEqual([]);
    expect(problemOf('AVRO', JSON.stringify(record('R', [{ name: 'r', type: 'R', default: {} }])))).toContain('without end');
  });

  it('takes names that objects have by themselves for names', () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];
    const text = JSON.stringify(
      record(
        'constructor',
        names.map((name) => ({ name, type: 'int' })),
      ),
    );
    const result = parseSchema('AVRO', text);
    if (!result.ok) throw new Error(result.problems[0]?.message);
    expect(result.schema.fields().map(({ name }) => name)).toEqual(names);
    const value = Object.fromEntries(names.map((name) => [name, 1]));
    expect(JSON.stringify(result.schema.decode(result.schema.encode(value)))).toBe(JSON.stringify(value));
    expect(({} as Record<string, unknown>)['r']).toBeUndefined();
    expect(problemOf('AVRO', '{ "type": "__proto__" }')).toBeTypeOf('string');
    expect(problemOf('AVRO', '"constructor"')).toBeTypeOf('string');
    expect(problemOf('AVRO', '{ "type": "long", "logicalType": "constructor" }')).toBeUndefined();
  });

  it('gives no sample of what is too large for one', () => {
    // Seven levels of a hundred fields each: a full sample would have 10^14 values.
    const levels = Array.from({ length: 7 }, (_, level) =>
      record(
        `L${level}`,
        Array.from({ length: 100 }, (__, index) => ({ name: `f${index}`, type: level === 0 ? 'int' : `L${level - 1}` })),
      ),
    );
    const text = JSON.stringify(
      record(
        'Root',
        levels.map((type, index) => ({ name: `r${index}`, type })),
      ),
    );
    const result = within(() => parseSchema('AVRO', text));
    expect(result.ok && within(() => result.schema.sample())).toBeNull();
    const messages = Array.from(
      { length: 7 },
      (_, level) =>
        `message L${level} { ${Array.from({ length: 100 }, (__, index) => `${level === 0 ? 'int32' : `L${level - 1}`} f${index} = ${index + 1};`).join(' ')} }`,
    );
    const proto = within(() => parseSchema('PROTOBUF', `syntax = "proto3"; ${messages.reverse().join(' ')}`));
    expect(proto.ok && within(() => proto.schema.sample())).toBeNull();
    const schemas = Object.fromEntries(
      Array.from({ length: 7 }, (_, level) => [
        `L${level}`,
        {
          properties: Object.fromEntries(
            Array.from({ length: 100 }, (__, index) => [
              `f${index}`,
              level === 0 ? { type: 'integer' } : { $ref: `#/$defs/L${level - 1}` },
            ]),
          ),
        },
      ]),
    );
    const json = within(() => parseSchema('JSON', JSON.stringify({ $ref: '#/$defs/L6', $defs: schemas })));
    expect(json.ok && within(() => json.schema.sample())).toBeNull();
  });

  it('refuses a member that stands twice', () => {
    expect(problemOf('AVRO', '{ "type": "string", "type": "int" }')).toContain('twice');
  });
});

describe('JSON Schema', () => {
  it('never runs a pattern that JavaScript would take hours for', () => {
    const schema = (pattern: string) =>
      JSON.stringify({
        type: 'object',
        properties: { a: { pattern } },
        patternProperties: { [pattern]: { type: 'string' } },
        propertyNames: { pattern },
      });
    const name = 'a'.repeat(50);
    expect(
      codesOf('JSON', JSON.stringify({ type: 'object', properties: { [`${name}!`]: { type: 'string' } } }), schema('^(a+)+$')),
    ).toContain('PROPERTY_NAMES_SCHEMA_CHANGED');
    const result = parseSchema('JSON', schema('^(a+)+$'));
    if (!result.ok) throw new Error(result.problems[0]?.message);
    expect(() => within(() => result.schema.encode({ a: `${name}!` }))).toThrow('must match');
  });

  it('gives up on alternatives of alternatives, and does not say that they are compatible', () => {
    const alternatives = (extra: number) => ({
      allOf: Array.from({ length: 30 }, (_, index) => ({
        anyOf: [0, 1, 2].map((value) => ({ properties: { [`p${index}`]: { minimum: value + extra, multipleOf: value + 2 } } })),
      })),
    });
    expect(codesOf('JSON', JSON.stringify(alternatives(0)), JSON.stringify(alternatives(1)))).not.toEqual([]);
  });

  it('ends at schemas that lead to themselves', () => {
    const loop = '{ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }';
    expect(codesOf('JSON', loop, '{ "type": "string" }')).toContain('TYPE_NARROWED');
    const tree = (type: string) =>
      JSON.stringify({
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: { value: { type }, left: { $ref: '#/$defs/node' }, right: { allOf: [{ $ref: '#/$defs/node' }, { $ref: '#' }] } },
          },
        },
      });
    expect(codesOf('JSON', tree('integer'), tree('number'))).toContain('TYPE_NARROWED');
    expect(codesOf('JSON', tree('string'), tree('integer'))).toContain('TYPE_CHANGED');
  });

  it('takes names that objects have by themselves for names', () => {
    const schema = (type: string) =>
      `{ "type": "object", "properties": { "__proto__": { "type": "${type}" }, "constructor": {} }, "required": ["hasOwnProperty"], "__proto__": { "type": "string" } }`;
    expect(codesOf('JSON', schema('string'), schema('number'))).toContain('TYPE_CHANGED');
    expect(({} as Record<string, unknown>)['type']).toBeUndefined();
    expect(problemOf('JSON', '{ "$schema": "constructor" }')).toContain('$schema');
  });

  it('compares five thousand properties in time that grows with them', () => {
    const schema = (last: string) =>
      JSON.stringify({
        additionalProperties: false,
        properties: Object.fromEntries(
          Array.from({ length: 5000 }, (_, index) => [`f${index}`, { type: index === 4999 ? last : 'string' }]),
        ),
      });
    expect(codesOf('JSON', schema('string'), schema('integer'))).toEqual(['TYPE_CHANGED', 'TYPE_CHANGED']);
  });

  it('fetches nothing', () => {
    expect(problemOf('JSON', '{ "$ref": "http://127.0.0.1:5300/schema.json" }')).toContain('leads to nothing');
    expect(problemOf('JSON', '{ "$ref": "file:///etc/passwd" }')).toContain('leads to nothing');
  });
});

describe('messages of any bytes', () => {
  const schemas: readonly (readonly [SchemaType, string])[] = [
    [
      'AVRO',
      '{ "type": "record", "name": "R", "fields": [{ "name": "a", "type": ["null", "R", "string"] }, { "name": "b", "type": { "type": "map", "values": "R" } }, { "name": "c", "type": { "type": "array", "items": "double" } }] }',
    ],
    ['JSON', '{ "type": "object", "additionalProperties": { "$ref": "#" } }'],
    [
      'PROTOBUF',
      'syntax = "proto3"; message M { M a = 1; map<string, M> b = 2; repeated double c = 3; oneof d { string e = 4; bytes f = 5; } }',
    ],
  ];

  it.each(schemas)('are read or refused by %s', (type, text) => {
    const result = parseSchema(type, text);
    if (!result.ok) throw new Error(result.problems[0]?.message);
    const { schema } = result;
    assert(
      property(uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const value = schema.decode(bytes);
          // A decoded value can be encoded, and decodes to the same value again.
          expect(schema.decode(schema.encode(value))).toEqual(value);
        } catch (error) {
          if (!(error instanceof MessageError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('Protobuf', () => {
  const head = 'syntax = "proto3"; ';

  it('refuses messages that are nested too deep', () => {
    expect(problemOf('PROTOBUF', head + 'message M { '.repeat(5000) + '}'.repeat(5000))).toContain('nested');
  });

  it('refuses more fields than the limit', () => {
    const fields = Array.from({ length: 20_001 }, (_, index) => `int32 f${index} = ${index < 18_000 ? index + 1 : index + 20_000};`).join(
      ' ',
    );
    expect(problemOf('PROTOBUF', `${head}message M { ${fields} }`)).toContain('20000');
  });

  it('takes names that would be code for what they are', () => {
    const text = `${head}message constructor { int32 __proto__ = 1; message toString { string valueOf = 1; } toString prototype = 2; }`;
    const result = parseSchema('PROTOBUF', text);
    if (!result.ok) throw new Error(result.problems[0]?.message);
    expect(() => within(() => result.schema.decode(result.schema.encode({ prototype: { valueOf: 'x' } })))).not.toThrow();
    expect(problemOf('PROTOBUF', `${head}message M { } message M-alert(1) { }`)).toBeTypeOf('string');
  });

  it('refuses imports in a circle and a file that imports itself', () => {
    const importing = (name: string) => `${head}import "${name}"; message M${name[0]} { }`;
    const result = parseSchema('PROTOBUF', importing('a.proto'), [
      { name: 'a.proto', content: importing('b.proto') },
      { name: 'b.proto', content: importing('a.proto') },
    ]);
    expect(result.ok ? '' : result.problems[0]?.message).toContain('imports itself');
  });

  it('refuses messages of any bytes', () => {
    const result = parseSchema('PROTOBUF', `${head}message M { M m = 1; repeated int32 n = 2; }`);
    if (!result.ok) throw new Error(result.problems[0]?.message);
    for (const bytes of ['', 'ff', 'ffffffffffffffffffff', '000aff', '00ffffffff', '0007', `00${'0a'.repeat(50_000)}`])
      expect(() => within(() => result.schema.decode(Buffer.from(bytes, 'hex')))).toThrow();
  });
});
