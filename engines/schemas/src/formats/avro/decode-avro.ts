/**
 * Decodes Avro's binary encoding to JSON. A union's value is plain if its type is obvious, otherwise `{ "type": value }`, as in Avro's own
 * JSON. As there, bytes are strings of the characters 0 to 255. A long beyond JavaScript's safe numbers is a string.
 */
import type { JsonValue } from '@slipway/foundation/ports/schema.ts';
import { MessageError } from '../schema-format.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import { ByteReader } from '../text/byte-reader.ts';
import type { AvroType, AvroUnion } from './avro-type.ts';
import { isNamed } from './avro-type.ts';
import { branchFor } from './encode-avro.ts';
import { decimalFromBytes, logicalFromNumber } from './logical-value.ts';

export const decodeAvro = (type: AvroType, bytes: Uint8Array): JsonValue => {
  const reader = new ByteReader(bytes);
  const value = new Decoder(reader).value(type, 0);
  if (reader.left > 0) throw new MessageError('', `The message goes on for ${reader.left} bytes after its end.`);
  return value;
};

class Decoder {
  readonly #reader: ByteReader;
  readonly #budget = new Budget(schemaLimits.values, 'values');

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  value(type: AvroType, depth: number): JsonValue {
    this.#budget.spend();
    if (depth > schemaLimits.depth) throw new MessageError('', `The message is nested more than ${schemaLimits.depth} deep.`);
    switch (type.kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.#reader.byte() !== 0;
      case 'int':
      case 'long':
        return whole(type, this.#reader.zigzag());
      case 'float':
        return real(Math.fround(this.#reader.float()));
      case 'double':
        return real(this.#reader.double());
      case 'string':
        return this.#reader.text(this.#length());
      case 'bytes':
        return bytesValue(type, this.#reader.take(this.#length()));
      case 'fixed':
        return bytesValue(type, this.#reader.take(type.size));
      case 'enum':
        return this.#symbol(type.symbols);
      case 'record':
        return Object.fromEntries(type.fields.map((field) => [field.name, this.value(field.type, depth + 1)]));
      case 'union':
        return this.#union(type, depth);
      case 'array':
        return this.#blocks(() => this.value(type.items, depth + 1));
      case 'map':
        return Object.fromEntries(
          this.#blocks((): [string, JsonValue] => [this.#reader.text(this.#length()), this.value(type.values, depth + 1)]),
        );
    }
  }

  #length(): number {
    const length = this.#reader.zigzag();
    if (length < 0n || length > BigInt(this.#reader.left)) throw new MessageError('', 'The message ends too early.');
    return Number(length);
  }

  #symbol(symbols: readonly string[]): string {
    const symbol = symbols[Number(this.#reader.zigzag())];
    if (symbol === undefined) throw new MessageError('', 'The message has a symbol that its enum has not.');
    return symbol;
  }

  #union(type: AvroUnion, depth: number): JsonValue {
    const branch = type.branches[Number(this.#reader.zigzag())];
    if (branch === undefined) throw new MessageError('', 'The message has a type that its union has not.');
    const value = this.value(branch, depth + 1);
    return branchFor(type, value)?.branch === branch ? value : { [isNamed(branch) ? branch.fullName : branch.kind]: value };
  }

  #blocks<Item>(read: () => Item): Item[] {
    const items: Item[] = [];
    for (;;) {
      let count = this.#reader.zigzag();
      if (count === 0n) return items;
      if (count < 0n) {
        this.#reader.zigzag();
        count = -count;
      }
      for (; count > 0n; count--) {
        this.#budget.spend();
        items.push(read());
      }
    }
  }
}

const whole = (type: AvroType, value: bigint): JsonValue => {
  if (type.kind === 'int' && BigInt.asIntN(32, value) !== value) throw new MessageError('', 'The message has an int of more than 32 bits.');
  const shown = type.logical === undefined ? undefined : logicalFromNumber(type.logical, value);
  if (shown !== undefined) return shown;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
};

/** JSON cannot express NaN and infinities. These strings are the same as in Protobuf's JSON, and can be encoded again. */
const real = (value: number): JsonValue => (Number.isFinite(value) ? value : String(value));

const bytesValue = (type: AvroType, bytes: Uint8Array): string => {
  if (type.logical?.name === 'decimal' && bytes.length <= 400) return decimalFromBytes(bytes, type.logical.scale ?? 0);
  if (type.logical?.name === 'uuid')
    return Buffer.from(bytes)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return Buffer.from(bytes).toString('latin1');
};
