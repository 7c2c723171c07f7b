/** Fills messages with random values, and compares what a reader sees with what the writer wrote, as Protobuf's documentation describes. */
import { ScalarType, type DescField, type DescMessage, type DescEnum } from '@bufbuild/protobuf';
import { isReflectMessage, reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import type { RandomSource } from '../random-source.fixture.ts';

/** Type of a value: a scalar, an enum or a message. */
type Kind = ScalarType | DescEnum | DescMessage;
const kindOf = (field: DescField): Kind => {
  if (field.fieldKind === 'map') return field.mapKind === 'scalar' ? field.scalar : field.mapKind === 'enum' ? field.enum : field.message;
  if (field.fieldKind === 'list')
    return field.listKind === 'scalar' ? field.scalar : field.listKind === 'enum' ? field.enum : field.message;
  return field.fieldKind === 'scalar' ? field.scalar : field.fieldKind === 'enum' ? field.enum : field.message;
};

const integers: readonly [bigint, ...bigint[]] = [
  0n,
  1n,
  2n,
  3n,
  -1n,
  2n ** 31n - 1n,
  -(2n ** 31n),
  2n ** 32n + 7n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const texts: readonly [string, ...string[]] = ['', 'text', 'Tromsø'];

const integerOf = (random: RandomSource, bits: 32 | 64, isUnsigned: boolean): number | bigint => {
  const value = (isUnsigned ? BigInt.asUintN : BigInt.asIntN)(bits, random.one(integers));
  return bits === 64 ? value : Number(value);
};
const scalarValue = (random: RandomSource, type: ScalarType): unknown => {
  switch (type) {
    case ScalarType.STRING:
      return random.one(texts);
    case ScalarType.BYTES:
      return random.isOneIn(3) ? Uint8Array.of(0xff, 0x00) : Buffer.from(random.one(texts));
    case ScalarType.BOOL:
      return random.isOneIn(2);
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return random.one([0, 0.5, -2]);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return integerOf(random, 32, true);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return integerOf(random, 64, true);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return integerOf(random, 64, false);
    default:
      return integerOf(random, 32, false);
  }
};
const valueOf = (random: RandomSource, kind: Kind): unknown => {
  if (typeof kind === 'number') return scalarValue(random, kind);
  if (kind.kind === 'enum') return kind.values[random.below(kind.values.length)]?.number ?? 0;
  return filled(random, kind);
};

/** Returns a message with random fields set. Of each oneof, the last one set stays. */
export const filled = (random: RandomSource, desc: DescMessage): ReflectMessage => {
  const message = reflect(desc);
  for (const field of desc.fields) {
    if (field.presence !== FeatureSet_FieldPresence.LEGACY_REQUIRED && random.isOneIn(4)) continue;
    const value = () => valueOf(random, kindOf(field));
    const count = 1 + random.below(2);
    if (field.fieldKind === 'list') for (let left = count; left > 0; left--) message.get(field).add(value());
    else if (field.fieldKind === 'map')
      for (let left = count; left > 0; left--) message.get(field).set(scalarValue(random, field.mapKey), value());
    else message.set(field, value());
  }
  return message;
};

/** The number that stands on the wire, or undefined for types that are not numbers. */
const wireNumber = (value: unknown, kind: Kind): bigint | undefined => {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if ((typeof value !== 'number' && typeof value !== 'bigint') || kind === ScalarType.FLOAT || kind === ScalarType.DOUBLE) return undefined;
  const number = BigInt(value);
  if (kind === ScalarType.SINT32 || kind === ScalarType.SINT64) return BigInt.asUintN(64, (number << 1n) ^ (number >> 63n));
  return BigInt.asUintN(64, number);
};
const unZigzag = (number: bigint): bigint => (number >> 1n) ^ -(number & 1n);
/** Reads a number as another type. Larger ones are cut, "as if cast in C++". */
const asNumber = (number: bigint, kind: Kind): bigint => {
  switch (kind) {
    case ScalarType.BOOL:
      return number === 0n ? 0n : 1n;
    case ScalarType.SINT32:
      return BigInt.asIntN(32, unZigzag(BigInt.asUintN(32, number)));
    case ScalarType.SINT64:
      return BigInt.asIntN(64, unZigzag(number));
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return BigInt.asUintN(32, number);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return number;
    case ScalarType.INT64:
    case ScalarType.SFIXED64:
      return BigInt.asIntN(64, number);
    default:
      return BigInt.asIntN(32, number);
  }
};
const asText = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value));

/** Returns how the reader sees the value, or undefined if its closed enum does not know the number and keeps it as unknown. */
const asSeen = (value: unknown, from: Kind, to: Kind): string | undefined => {
  const number = wireNumber(value, from);
  if (number === undefined) return asText(typeof value === 'string' ? Buffer.from(value) : value);
  const read = asNumber(number, to);
  const isKnown = typeof to === 'number' || to.kind !== 'enum' || to.open || to.values.some((one) => BigInt(one.number) === read);
  return isKnown ? String(read) : undefined;
};
/** The value in the same form as `asSeen`. */
const seen = (value: unknown, kind: Kind): string => asSeen(value, kind, kind) ?? 'unknown';

interface Held {
  readonly key: string;
  readonly value: unknown;
}
/** Returns the values of a field in the order of the wire. For maps, `keyAs` is the reader's type of keys. */
const held = (message: ReflectMessage, field: DescField, keyAs?: ScalarType): Held[] => {
  if (field.fieldKind === 'map') {
    const key = (one: unknown): string => asSeen(one, field.mapKey, keyAs ?? field.mapKey) ?? '';
    return [...message.get(field)].map(([one, value]) => ({ key: key(one), value }));
  }
  if (field.fieldKind === 'list') return [...message.get(field)].map((value, at) => ({ key: String(at), value }));
  return message.isSet(field) ? [{ key: '0', value: message.get(field) }] : [];
};

const compareValues = (written: readonly Held[], read: readonly Held[], from: DescField, to: DescField): string[] => {
  const [sent, known] = [kindOf(from), kindOf(to)];
  const left = new Map(read.map(({ key, value }) => [key, value]));
  return written.flatMap(({ key, value }) => {
    const found = left.get(key);
    if (isReflectMessage(value)) return isReflectMessage(found) ? compare(value, found) : [`${from.name}[${key}] is gone`];
    const expected = asSeen(value, sent, known);
    if (expected === undefined) return [];
    const got = found === undefined ? 'nothing' : seen(found, known);
    return got === expected ? [] : [`${from.name}[${key}]: ${asText(value)} became ${got} instead of ${expected}`];
  });
};

const compareField = (written: ReflectMessage, read: ReflectMessage, from: DescField, to: DescField): string[] => {
  const sent = held(written, from, to.fieldKind === 'map' ? to.mapKey : undefined);
  const [last] = sent.slice(-1);
  if (!last) return [];
  const [fromKind, toKind] = [kindOf(from), kindOf(to)];
  if (to.fieldKind === 'map') return compareValues([...new Map(sent.map((one) => [one.key, one])).values()], held(read, to), from, to);
  // Implementations differ in whether a list keeps the numbers that its closed enum does not know.
  if (!isReflectMessage(last.value) && sent.some(({ value }) => asSeen(value, fromKind, toKind) === undefined)) return [];
  if (to.fieldKind === 'list') {
    const [all, got] = [sent.map(({ value }, at) => ({ key: String(at), value })), held(read, to)];
    return got.length === all.length ? compareValues(all, got, from, to) : [`${from.name}: ${all.length} became ${got.length}`];
  }
  // A single message is merged of all that were written.
  if (isReflectMessage(last.value) && sent.length > 1) return read.isSet(to) ? [] : [`${from.name} is gone`];
  const isImplicit = to.presence === FeatureSet_FieldPresence.IMPLICIT;
  if (!isImplicit && !read.isSet(to)) return [`${from.name} is gone`];
  return compareValues([{ ...last, key: '0' }], [{ key: '0', value: read.get(to) }], from, to);
};

/** Returns what the reader lost or changed of the fields that both declare, and which of its required fields are missing. */
export const compare = (written: ReflectMessage, read: ReflectMessage): string[] => {
  const shared = written.desc.fields.flatMap((field) => {
    const own = read.desc.fields.find(({ number }) => number === field.number);
    return own ? compareField(written, read, field, own) : [];
  });
  const missing = read.desc.fields.filter((field) => field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED && !read.isSet(field));
  return [...shared, ...missing.map(({ name }) => `${name} is required, and missing`)];
};
