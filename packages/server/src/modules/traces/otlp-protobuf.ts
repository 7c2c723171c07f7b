/**
 * Reads and writes the protobuf encoding of OTLP traces. The reader visits only the fields that are stored, and stops creating spans at a
 * limit, because a small body can contain very many empty spans. Field numbers: opentelemetry/proto/trace/v1/trace.proto.
 */
import protobuf from 'protobufjs/minimal.js';
import { addAttribute, addException, emptySpan, MAX_SPANS, type AttributeValue, type SentSpan, type SentSpans } from './span.ts';

type Reader = protobuf.Reader;
/** Readers of the fields of one message, by field number. A field with another wire type is invalid. */
type Fields = Readonly<Record<number, readonly [wireType: number, read: () => void]>>;
const [VARINT, FIXED64, BYTES] = [0, 1, 2];

const readUntil = (reader: Reader, end: number, fields: Fields): void => {
  if (end > reader.len) throw new Error('a message is longer than its body');
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = fields[tag >>> 3];
    if (field && field[0] === (tag & 7)) field[1]();
    else reader.skipType(tag & 7);
  }
  if (reader.pos !== end) throw new Error('a field is longer than its message');
};
const readMessage = (reader: Reader, fields: Fields): void => {
  const length = reader.uint32();
  readUntil(reader, reader.pos + length, fields);
};
const hexOf = (reader: Reader): string => Buffer.from(reader.bytes()).toString('hex');
const fixed64 = (reader: Reader): bigint => {
  const low = BigInt(reader.fixed32());
  return low + (BigInt(reader.fixed32()) << 32n);
};

const readAttribute = (reader: Reader, into: Record<string, AttributeValue>): void => {
  let key = '';
  let value: AttributeValue | undefined;
  const values: Fields = {
    1: [BYTES, () => (value = reader.string())],
    2: [VARINT, () => (value = reader.bool())],
    3: [
      VARINT,
      () => {
        const sent = reader.int64();
        value = typeof sent === 'number' ? sent : sent.high * 2 ** 32 + (sent.low >>> 0);
      },
    ],
    4: [FIXED64, () => (value = reader.double())],
  };
  readMessage(reader, { 1: [BYTES, () => (key = reader.string())], 2: [BYTES, () => readMessage(reader, values)] });
  addAttribute(into, key, value);
};

const readEvent = (reader: Reader, span: SentSpan): void => {
  let name = '';
  const attributes = {};
  readMessage(reader, { 2: [BYTES, () => (name = reader.string())], 3: [BYTES, () => readAttribute(reader, attributes)] });
  if (name === 'exception') addException(span, attributes);
};

const readSpan = (reader: Reader): SentSpan => {
  const span = emptySpan();
  const status: Fields = {
    2: [BYTES, () => (span.message = reader.string() || span.message)],
    3: [VARINT, () => (span.status = reader.int32())],
  };
  readMessage(reader, {
    1: [BYTES, () => (span.traceId = hexOf(reader))],
    2: [BYTES, () => (span.spanId = hexOf(reader))],
    4: [BYTES, () => (span.parentId = hexOf(reader))],
    5: [BYTES, () => (span.name = reader.string())],
    6: [VARINT, () => (span.kind = reader.int32())],
    7: [FIXED64, () => (span.start = fixed64(reader))],
    8: [FIXED64, () => (span.end = fixed64(reader))],
    9: [BYTES, () => readAttribute(reader, span.attributes)],
    11: [BYTES, () => readEvent(reader, span)],
    15: [BYTES, () => readMessage(reader, status)],
  });
  return span;
};

/** Throws if the body is no ExportTraceServiceRequest. */
export const spansOfProtobuf = (body: Buffer): SentSpans => {
  const reader = protobuf.Reader.create(body);
  const sent: SentSpans = { spans: [], excess: 0 };
  const readOne = (): void => {
    if (sent.spans.length < MAX_SPANS) sent.spans.push(readSpan(reader));
    else {
      sent.excess += 1;
      reader.skipType(BYTES);
    }
  };
  const scope: Fields = { 2: [BYTES, readOne] };
  const resource: Fields = { 2: [BYTES, () => readMessage(reader, scope)] };
  readUntil(reader, reader.len, { 1: [BYTES, () => readMessage(reader, resource)] });
  return sent;
};

/** An ExportTraceServiceResponse. Empty if all spans were accepted. */
export const protobufAnswer = (rejected: number, message: string): Uint8Array => {
  const writer = protobuf.Writer.create();
  if (rejected > 0) writer.uint32(10).fork().uint32(8).int64(rejected).uint32(18).string(message).ldelim();
  return writer.finish();
};
/** A google.rpc.Status, which OTLP answers in errors. */
export const protobufStatus = (message: string): Uint8Array => protobuf.Writer.create().uint32(18).string(message).finish();
