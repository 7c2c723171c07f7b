/** Schema identity: a schema that a client library has rewritten must match the schema as people wrote it. */
import { expect, test } from 'vitest';
import { parseSchema } from '../formats/parse-schema.ts';
import type { SchemaReference, SchemaText } from '@slipway/foundation/ports/schema-registry.ts';
import { identityOf } from './identity.ts';

const identity = (type: SchemaText['type'], content: string | object, references: readonly SchemaReference[] = []): string => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const parsed = parseSchema(type, text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return identityOf(parsed.schema, references).toString('hex');
};
const avro = (content: string | object): string => identity('AVRO', content);

const written = {
  namespace: 'quay.events',
  type: 'record',
  name: 'Call',
  doc: 'A vessel calls',
  aliases: ['Visit'],
  fields: [
    { name: 'id', type: { type: 'string' } },
    { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['ARRIVAL', 'DEPARTURE'] }, order: 'ascending' },
    { name: 'before', type: ['null', 'Kind'], default: null },
    { name: 'at', type: { logicalType: 'timestamp-millis', type: 'long' } },
    {
      name: 'parts',
      type: { type: 'array', items: { type: 'record', name: 'other.Part', fields: [{ name: 'next', type: ['null', 'Part'] }] } },
    },
  ],
};

test('what Apache Java makes of a schema is the schema', () => {
  // As Schema.toString() writes it: its own attribute order, a namespace beside each name, the shortest types.
  const byJava =
    '{"type":"record","name":"Call","namespace":"quay.events","doc":"A vessel calls","fields":[{"name":"id","type":"string"},' +
    '{"name":"kind","type":{"type":"enum","name":"Kind","symbols":["ARRIVAL","DEPARTURE"]}},' +
    '{"name":"before","type":["null","quay.events.Kind"],"default":null},' +
    '{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},' +
    '{"name":"parts","type":{"type":"array","items":{"type":"record","name":"Part","namespace":"other","fields":[{"name":"next","type":["null","Part"]}]}}}],' +
    '"aliases":["quay.events.Visit"]}';
  expect(avro(byJava)).toBe(avro(written));
  expect(avro(JSON.stringify(written, undefined, 7))).toBe(avro(written));
});

test.each<[string, object]>([
  ['a doc', { ...written, doc: 'Another' }],
  ['a namespace', { ...written, namespace: 'quay' }],
  ['an alias', { ...written, aliases: [] }],
  ['the order of fields', { ...written, fields: written.fields.toReversed().filter(({ name }) => name !== 'before') }],
  ['a property of ours', { ...written, classification: 'INTERNAL' }],
])('%s makes another schema', (_, other) => expect(avro(other)).not.toBe(avro(written)));

test('numbers that a double cannot hold are different by their digits', () => {
  const withDefault = (digits: string): string =>
    avro(`{"type":"record","name":"R","fields":[{"name":"n","type":"long","default":${digits}}]}`);
  expect(withDefault('9007199254740993')).not.toBe(withDefault('9007199254740992'));
  expect(withDefault('9007199254740993')).toBe(withDefault(' 9007199254740993'));
});

test('primitives', () => {
  expect(avro('"string"')).toBe(avro('{"type": "string"}'));
  expect(avro('string')).toBe(avro('"string"'));
  expect(avro('{"type": "string", "maxLength": 4}')).not.toBe(avro('"string"'));
});

test('formats and references count, the order of references does not', () => {
  const [a, b] = [
    { name: 'a', subject: 's', version: 1 },
    { name: 'b', subject: 's', version: 2 },
  ] as const;
  expect(identity('AVRO', '"string"', [a, b])).toBe(identity('AVRO', '"string"', [b, a]));
  expect(identity('AVRO', '"string"', [a])).not.toBe(avro('"string"'));
  expect(identity('AVRO', '"string"', [{ ...a, version: 2 }])).not.toBe(identity('AVRO', '"string"', [a]));
  expect(identity('JSON', '{"type": "string"}')).not.toBe(avro('{"type": "string"}'));
});

test('JSON Schema and Protobuf: by meaning, not by layout', () => {
  expect(identity('JSON', '{"type":"object","title":"x"}')).toBe(identity('JSON', '{\n  "title": "x",\n  "type": "object"\n}'));
  expect(identity('JSON', '{"type":"object","title":"x"}')).not.toBe(identity('JSON', '{"type":"object","title":"y"}'));
  const proto = (body: string): string => identity('PROTOBUF', `syntax = "proto3"; package a; message M { ${body} }`);
  expect(proto('string b = 1;')).toBe(proto('\n\n  string   b=1;\n'));
  expect(proto('string b = 1;')).not.toBe(proto('string b = 2;'));
});
