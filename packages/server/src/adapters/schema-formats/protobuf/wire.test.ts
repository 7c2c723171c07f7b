/**
 * Tests that the verdict for Protobuf is sound on the wire: for accepted random pairs of messages, the reader sees every field that the
 * writer set and both declare. Another implementation encodes and decodes the messages. `npm test` tries some of the pairs.
 */
import { create, createFileRegistry, fromBinary, toBinary, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';
import { FieldDescriptorProto_Label, FieldDescriptorProto_Type, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { shareOf } from '#testing/faults/fault-share.ts';
import { checkCompatibility } from '../check-compatibility.ts';
import { parseSchema } from '../parse-schema.ts';
import { RandomSource } from '../random-source.fixture.ts';

const PAIRS = 20_000;
const SHARE = 1500;
const MESSAGES = 8;

const types = {
  int32: FieldDescriptorProto_Type.INT32,
  int64: FieldDescriptorProto_Type.INT64,
  uint32: FieldDescriptorProto_Type.UINT32,
  sint32: FieldDescriptorProto_Type.SINT32,
  fixed32: FieldDescriptorProto_Type.FIXED32,
  fixed64: FieldDescriptorProto_Type.FIXED64,
  float: FieldDescriptorProto_Type.FLOAT,
  double: FieldDescriptorProto_Type.DOUBLE,
  bool: FieldDescriptorProto_Type.BOOL,
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
} as const;
type Scalar = keyof typeof types;
const scalars: readonly [Scalar, ...Scalar[]] = [
  'int32',
  'int64',
  'uint32',
  'sint32',
  'fixed32',
  'fixed64',
  'float',
  'double',
  'bool',
  'string',
  'bytes',
];

interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: Scalar;
  readonly isRepeated: boolean;
  readonly oneof: 'x' | 'y' | undefined;
}

const randomField = (random: RandomSource, number: number): Field => {
  const oneof = random.one([undefined, 'x', 'y', 'x'] as const);
  return { number, name: `f${number}`, type: random.one(scalars), isRepeated: oneof === undefined && random.isOneIn(4), oneof };
};
const randomFields = (random: RandomSource): Field[] =>
  [1, 2, 3, 4, 5].flatMap((number) => (random.isOneIn(4) ? [] : [randomField(random, number)]));

const changedField = (random: RandomSource, field: Field): Field[] => {
  switch (random.below(6)) {
    case 0:
      return [{ ...field, type: random.one(scalars) }];
    case 1:
      return [{ ...field, oneof: undefined, isRepeated: random.isOneIn(2) }];
    case 2:
      return [];
    case 3:
      return [{ ...field, name: random.one([`g${field.number}`, field.name]) }];
    default:
      return [{ ...field, isRepeated: false, oneof: random.one(['x', 'y']) }];
  }
};
const changed = (random: RandomSource, fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => (random.isOneIn(3) ? changedField(random, field) : [field]));

const oneofsOf = (fields: readonly Field[]) => (['x', 'y'] as const).filter((name) => fields.some(({ oneof }) => oneof === name));

const textOf = (fields: readonly Field[]): string => {
  const line = ({ isRepeated, type, name, number }: Field): string => `${isRepeated ? 'repeated ' : ''}${type} ${name} = ${number};`;
  const oneofs = oneofsOf(fields).map(
    (name) =>
      `oneof ${name} { ${fields
        .filter(({ oneof }) => oneof === name)
        .map(line)
        .join(' ')} }`,
  );
  const alone = fields.filter(({ oneof }) => oneof === undefined).map(line);
  return `syntax = "proto3"; message M { ${[...alone, ...oneofs].join(' ')} }`;
};

const descriptorOf = (fields: readonly Field[]): DescMessage => {
  const oneofs = oneofsOf(fields);
  const field = fields.map(({ name, number, type, isRepeated, oneof }) => ({
    name,
    number,
    jsonName: name,
    type: types[type],
    label: isRepeated ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
    ...(oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof) }),
  }));
  const messageType = [{ name: 'M', field, oneofDecl: oneofs.map((name) => ({ name })) }];
  const file = create(FileDescriptorProtoSchema, { name: 'm.proto', syntax: 'proto3', messageType });
  const found = createFileRegistry(file, () => undefined).getMessage('M');
  if (!found) throw new Error('there is no message');
  return found;
};

const valueOf = (random: RandomSource, type: Scalar): unknown => {
  const small = 1 + random.below(5);
  if (type === 'string') return `text ${small}`;
  if (type === 'bytes') return Buffer.from(`text ${small}`);
  if (type === 'bool') return true;
  return type === 'int64' || type === 'fixed64' ? BigInt(small) : small;
};

/** Sets random fields. In each oneof, the last one set is kept. */
const fill = (random: RandomSource, fields: readonly Field[], message: ReflectMessage): void => {
  for (const { number, type, isRepeated } of fields) {
    const field = fieldOf(message.desc, number);
    if (!field || random.isOneIn(4)) continue;
    if (isRepeated && field.fieldKind === 'list')
      for (let left = 1 + random.below(2); left > 0; left--) message.get(field).add(valueOf(random, type));
    else message.set(field, valueOf(random, type));
  }
};
const fieldOf = (desc: DescMessage, number: number): DescField | undefined => desc.fields.find((field) => field.number === number);

/** Returns the value, for a list its last element. Undefined if nothing is set. */
const seen = (message: ReflectMessage, field: DescField): string | undefined => {
  if (!message.isSet(field)) return undefined;
  const value: unknown = field.fieldKind === 'list' ? [...message.get(field)].at(-1) : message.get(field);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
};

/** Returns the fields that the writer set and both declare, but whose value the reader lost or changed. */
const lost = (written: ReflectMessage, read: ReflectMessage): string[] =>
  written.desc.fields.flatMap((field) => {
    const [given, own] = [seen(written, field), fieldOf(read.desc, field.number)];
    if (given === undefined || own === undefined) return [];
    const found = seen(read, own);
    const isOfOneType = String(own.scalar) === String(field.scalar);
    return found === undefined || (isOfOneType && found !== given) ? [`${field.name}: ${given} became ${found}`] : [];
  });

const isAccepted = (reader: readonly Field[], writer: readonly Field[]): boolean => {
  const [own, other] = [reader, writer].map((fields) => parseSchema('PROTOBUF', textOf(fields)));
  return own?.ok === true && other?.ok === true && checkCompatibility(own.schema, other.schema, 'reader')?.length === 0;
};

test('accepts no pair whose reader loses a field that the writer set', { timeout: 10 * 60_000 }, () => {
  const found: string[] = [];
  let accepted = 0;
  const seeds = shareOf(
    Array.from({ length: PAIRS }, (_, seed) => seed),
    SHARE,
  );
  for (const seed of seeds) {
    const random = new RandomSource(seed);
    const writer = randomFields(random);
    const reader = changed(random, writer);
    if (textOf(reader) === textOf(writer) || !isAccepted(reader, writer)) continue;
    accepted++;
    const [from, to] = [descriptorOf(writer), descriptorOf(reader)];
    for (let left = MESSAGES; left > 0; left--) {
      const written = reflect(from);
      fill(random, writer, written);
      const read = reflect(to, fromBinary(to, toBinary(from, written.message)));
      const fields = lost(written, read);
      if (fields.length > 0) found.push(`${seed}: ${textOf(writer)} read as ${textOf(reader)}: ${fields.join(', ')}`);
    }
  }
  expect(found.slice(0, 10)).toEqual([]);
  expect(accepted / seeds.length).toBeGreaterThan(0.1);
});
