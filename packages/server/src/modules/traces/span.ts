/** Spans as both encodings of OTLP state them, and the values that are stored. Texts come from programs of teams, so they are cut. */

export type AttributeValue = string | number | boolean;
/** A span as it arrived. Ids are lower-case hex, times are nanoseconds since 1970. */
export interface SentSpan {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  kind: number;
  start: bigint;
  end: bigint;
  status: number;
  message: string;
  attributes: Record<string, AttributeValue>;
}
export const emptySpan = (): SentSpan => ({
  traceId: '',
  spanId: '',
  parentId: '',
  name: '',
  kind: 0,
  start: 0n,
  end: 0n,
  status: 0,
  message: '',
  attributes: {},
});

/** Row of `trace_span`, without its service. */
export interface SpanRow {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly kind: number;
  readonly is_entry: boolean;
  readonly is_error: boolean;
  readonly message: string;
  readonly started_at: string;
  readonly duration_us: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** Spans of one request that are read. SDKs send 512 at most, unless they are configured otherwise. */
export const MAX_SPANS = 2048;
export const MAX_ATTRIBUTES = 32;
const [NAME_LENGTH, VALUE_LENGTH, MESSAGE_LENGTH] = [200, 300, 1000];
const ERROR_STATUS = 2;
const [SERVER, CONSUMER] = [2, 5];
const [MICROSECOND, SECOND] = [1000n, 1_000_000_000n];
const [DAY_SECONDS, AHEAD_SECONDS] = [86_400n, 300n];

/** Cuts a text to what PostgreSQL stores: without NUL and half surrogates. */
const cut = (text: string, length: number): string => text.slice(0, length).replaceAll('\0', '').toWellFormed();
const isId = (id: string, length: number): boolean => id.length === length && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id);
const microsecondsText = (nanoseconds: bigint): string => {
  const seconds = new Date(Number(nanoseconds / SECOND) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String((nanoseconds % SECOND) / MICROSECOND).padStart(6, '0')}Z`;
};

/** Sets an attribute if there is room for it. */
export const addAttribute = (attributes: Record<string, AttributeValue>, key: string, value: AttributeValue | undefined): void => {
  if (value === undefined || key === '' || key === '__proto__' || Object.keys(attributes).length >= MAX_ATTRIBUTES) return;
  if (typeof value === 'number' && !Number.isFinite(value)) return;
  attributes[cut(key, NAME_LENGTH)] = typeof value === 'string' ? cut(value, VALUE_LENGTH) : value;
};

/** Sets the message from an `exception` event, unless the status has one. */
export const addException = (span: SentSpan, { 'exception.type': type, 'exception.message': text }: SentSpan['attributes']): void => {
  if (span.message === '') span.message = [type, text].filter((part) => part !== undefined && part !== '').join(': ');
};

/** Returns the row of a span. Undefined if its ids or times are invalid, or if it is older than a day. */
export const rowOf = (span: SentSpan, now: Date): SpanRow | undefined => {
  const seconds = BigInt(Math.floor(now.getTime() / 1000));
  const startSeconds = span.start / SECOND;
  if (!isId(span.traceId, 32) || !isId(span.spanId, 16)) return undefined;
  if (span.end < span.start || span.end - span.start > DAY_SECONDS * SECOND) return undefined;
  if (startSeconds < seconds - DAY_SECONDS || startSeconds > seconds + AHEAD_SECONDS) return undefined;
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_id: isId(span.parentId, 16) ? span.parentId : null,
    name: cut(span.name, NAME_LENGTH) || 'unnamed',
    kind: Number.isInteger(span.kind) && span.kind >= 0 && span.kind <= CONSUMER ? span.kind : 0,
    is_entry: !isId(span.parentId, 16) || span.kind === SERVER || span.kind === CONSUMER,
    is_error: span.status === ERROR_STATUS,
    message: cut(span.message, MESSAGE_LENGTH),
    started_at: microsecondsText(span.start),
    duration_us: Number((span.end - span.start) / MICROSECOND),
    attributes: span.attributes,
  };
};

/** Spans of a request, and the number of further spans that were not read. */
export interface SentSpans {
  readonly spans: SentSpan[];
  excess: number;
}
