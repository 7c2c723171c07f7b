/** Messages from other implementations are decoded correctly, and encoded again to the same bytes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonValue, ParsedSchema, SchemaType } from '@slipway/foundation/ports/schema.ts';
import { readFrame, writeFrame } from '../message-frame.ts';
import { parseSchema } from '../parse-schema.ts';
import { MessageError } from '../schema-format.ts';

const lines = (file: string): string[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const parsed = (type: SchemaType, text: string): ParsedSchema => {
  const result = parseSchema(type, text);
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result.schema;
};

const failure = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof MessageError) return `${error.path}: ${error.message}`;
    throw error;
  }
  return 'none';
};

describe('Avro', () => {
  it.each(lines('avro-messages.txt'))('%s', (line) => {
    const [schema = '', value = '', bytes = ''] = line.split(' | ');
    const type = parsed('AVRO', schema);
    const shown: JsonValue = JSON.parse(value);
    expect(type.decode(Buffer.from(bytes, 'hex'))).toEqual(shown);
    expect(Buffer.from(type.encode(shown)).toString('hex')).toBe(bytes);
  });

  const visit = parsed(
    'AVRO',
    `{ "type": "record", "name": "Visit", "fields": [
      { "name": "vessel", "type": { "type": "record", "name": "Vessel", "fields": [{ "name": "draught", "type": "double" }, { "name": "imo", "type": ["null", "int"], "default": null }] } },
      { "name": "kind", "type": { "type": "enum", "name": "Kind", "symbols": ["IN", "OUT"] }, "default": "IN" }] }`,
  );

  it('names the field that does not fit, and what it must be', () => {
    expect(failure(() => visit.encode({ vessel: { draught: '13,2' } }))).toBe('vessel.draught: must be a number, is text');
    expect(failure(() => visit.encode({ vessel: { draught: 1, imo: 'x' } }))).toBe('vessel.imo: must be a whole number, is text');
    expect(failure(() => visit.encode({ vessel: { draught: 1 }, kind: 'UP' }))).toBe('kind: must be one of IN, OUT');
    expect(failure(() => visit.encode({ vessel: {} }))).toBe('vessel.draught: is missing, and has no default');
    expect(failure(() => visit.encode({ vessel: { draught: 1 }, tugs: 1 }))).toBe('tugs: is no field of Visit');
  });

  it('refuses messages of other schemas and broken ones', () => {
    const bytes = visit.encode({ vessel: { draught: 1 } });
    expect(failure(() => visit.decode(bytes.subarray(0, 5)))).toContain('ends too early');
    expect(failure(() => visit.decode(Buffer.concat([bytes, Buffer.from('x')])))).toContain('goes on for 1 bytes');
    expect(failure(() => visit.decode(Buffer.from([...bytes.subarray(0, -1), 9])))).toContain('symbol');
  });

  it('does not read lists that are larger than their bytes', () => {
    const nulls = parsed('AVRO', '{ "type": "array", "items": "null" }');
    expect(() => nulls.decode(Buffer.from('feffffffff1f00', 'hex'))).toThrow('more than 100000 values');
  });

  it('keeps a key that is called __proto__', () => {
    const map = parsed('AVRO', '{ "type": "map", "values": "int" }');
    const value: JsonValue = JSON.parse('{ "__proto__": 5 }');
    expect(JSON.stringify(map.decode(map.encode(value)))).toBe('{"__proto__":5}');
    expect(Object.getPrototypeOf(map.decode(map.encode(value)))).toBe(Object.prototype);
  });
});

describe('Protobuf', () => {
  const [text = '', ...messages] = lines('protobuf-messages.txt');
  const schema = parsed('PROTOBUF', text);

  it.each(messages)('%s', (line) => {
    const [, value = '', bytes = ''] = line.split(' | ');
    const shown: JsonValue = JSON.parse(value);
    expect(schema.decode(Buffer.from(`00${bytes}`, 'hex'))).toEqual(shown);
    expect(schema.decode(schema.encode(shown))).toEqual(shown);
    expect(Buffer.from(schema.encode(shown)).toString('hex')).toBe(`00${bytes}`);
  });

  it('reads the message that the indexes name', () => {
    expect(schema.decode(Buffer.from('0202' + '0805', 'hex'))).toEqual({ id: '5' });
    expect(schema.decode(Buffer.from('040000' + '0d0000803f', 'hex'))).toEqual({ miles: 1 });
    expect(failure(() => schema.decode(Buffer.from('0204', 'hex')))).toContain('names no type');
  });

  it('says what does not fit', () => {
    expect(failure(() => schema.encode({ tugs: 'many' }))).toContain('tugs');
    expect(failure(() => schema.decode(Buffer.from('000a05', 'hex')))).toContain('The message is no Visit');
  });
});

describe('JSON', () => {
  const schema = parsed(
    'JSON',
    `{ "type": "object", "required": ["vessel"], "additionalProperties": false, "properties": {
      "vessel": { "$ref": "#/$defs/vessel" }, "legs": { "type": "array", "maxItems": 2, "items": { "type": "integer", "minimum": 1 } },
      "code": { "pattern": "^[A-Z]+$" }, "who": { "oneOf": [{ "type": "string" }, { "type": "integer" }] } },
      "$defs": { "vessel": { "type": "object", "properties": { "draught": { "type": "number" }, "kind": { "enum": ["IN", "OUT"] } } } } }`,
  );

  it('reads and writes JSON', () => {
    const value = { vessel: { draught: 13.2, kind: 'IN' }, legs: [1, 2], code: 'AB', who: 5 };
    expect(schema.decode(schema.encode(value))).toEqual(value);
    expect(failure(() => schema.decode(Buffer.from('{')))).toContain('no JSON');
  });

  it.each([
    [{ vessel: { draught: '13,2' } }, 'vessel.draught: must be a number, is text'],
    [{}, 'vessel: is missing'],
    [{ vessel: {}, tugs: 1 }, 'tugs: is not allowed'],
    [{ vessel: { kind: 'UP' } }, 'vessel.kind: must be one of "IN", "OUT"'],
    [{ vessel: {}, legs: [0] }, 'legs.0: must be at least 1'],
    [{ vessel: {}, legs: [1, 2, 3] }, 'legs: must be at most 2 items'],
    [{ vessel: {}, legs: [1.5] }, 'legs.0: must be a whole number, is a number'],
    [{ vessel: {}, code: 'ab' }, 'code: must match ^[A-Z]+$'],
    [{ vessel: {}, who: true }, 'who: fits none of the 2 alternatives'],
  ] as const)('refuses %j', (value, words) => {
    expect(failure(() => schema.encode(JSON.parse(JSON.stringify(value))))).toBe(words);
  });
});

describe('the frame', () => {
  it('has a zero byte and the id of the schema', () => {
    const message = writeFrame(258, Buffer.from('x'));
    expect(Buffer.from(message).toString('hex')).toBe('000000010278');
    expect(readFrame(message)).toEqual({ schemaId: 258, body: new Uint8Array(Buffer.from('x')) });
    expect(readFrame(Buffer.from('0000000102', 'hex'))).toMatchObject({ schemaId: 258 });
  });

  it.each(['', '00', '0100000001', '00ffffffff', '7b7d'])('is none in %s', (bytes) => {
    expect(readFrame(Buffer.from(bytes, 'hex'))).toBeUndefined();
  });
});
