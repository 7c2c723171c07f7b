/** Reads the JSON encoding of OTLP traces: ids in hex, 64-bit numbers as text or number. Fields of other types count as missing. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { addAttribute, addException, emptySpan, MAX_SPANS, type AttributeValue, type SentSpan, type SentSpans } from './span.ts';

const list = (value: unknown, key: string): readonly unknown[] => {
  const found = isRecord(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const nanoseconds = (value: unknown): bigint => {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return typeof value === 'number' && Number.isSafeInteger(Math.trunc(value / 1e6)) && value >= 0 ? BigInt(Math.trunc(value)) : 0n;
};

const valueOf = (value: unknown): AttributeValue | undefined => {
  if (!isRecord(value)) return undefined;
  const { stringValue, boolValue, intValue, doubleValue } = value;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (typeof intValue === 'string' || typeof intValue === 'number') return Number(intValue);
  return typeof doubleValue === 'number' ? doubleValue : undefined;
};
const attributesOf = (owner: unknown): Record<string, AttributeValue> => {
  const attributes = {};
  for (const item of list(owner, 'attributes')) if (isRecord(item)) addAttribute(attributes, textOf(item['key']), valueOf(item['value']));
  return attributes;
};

const spanOf = (sent: unknown): SentSpan => {
  if (!isRecord(sent)) return emptySpan();
  const status = isRecord(sent['status']) ? sent['status'] : {};
  const span: SentSpan = {
    traceId: textOf(sent['traceId']).toLowerCase(),
    spanId: textOf(sent['spanId']).toLowerCase(),
    parentId: textOf(sent['parentSpanId']).toLowerCase(),
    name: textOf(sent['name']),
    kind: numberOf(sent['kind']),
    start: nanoseconds(sent['startTimeUnixNano']),
    end: nanoseconds(sent['endTimeUnixNano']),
    status: numberOf(status['code']),
    message: textOf(status['message']),
    attributes: attributesOf(sent),
  };
  for (const event of list(sent, 'events')) if (isRecord(event) && event['name'] === 'exception') addException(span, attributesOf(event));
  return span;
};

/** Returns undefined if the body is no ExportTraceServiceRequest. */
export const spansOfJson = (body: unknown): SentSpans | undefined => {
  if (!isRecord(body) || !Array.isArray(body['resourceSpans'] ?? [])) return undefined;
  const sent = list(body, 'resourceSpans').flatMap((resource) => list(resource, 'scopeSpans').flatMap((scope) => list(scope, 'spans')));
  return { spans: sent.slice(0, MAX_SPANS).map(spanOf), excess: Math.max(0, sent.length - MAX_SPANS) };
};
