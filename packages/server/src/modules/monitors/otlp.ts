/** Payloads as OTLP/HTTP JSON: a log record per event, and the spans of the SDK's tracing as they are. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { KnownMonitor } from './known-monitors.ts';
import type { ReadPayload } from './payload.ts';

const MAX_SPANS = 20;
const NANOSECONDS = 1_000_000n;
const ERROR_SEVERITY = 17;
const INFO_SEVERITY = 9;

const attribute = (key: string, value: string | number | null) =>
  value === null || value === '' ? [] : [{ key, value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value } }];

export const otlpLogs = ({ name }: KnownMonitor, payload: ReadPayload): object | undefined => {
  const { events, release, browser, os, session, user, page } = payload;
  if (events.length === 0) return undefined;
  return {
    resource: {
      attributes: [
        ...attribute('service.name', name),
        ...attribute('service.version', release),
        ...attribute('browser.name', browser),
        ...attribute('os.name', os),
      ],
    },
    scopeLogs: [
      {
        scope: { name: 'slipway-browser-monitoring' },
        logRecords: events.map((event) => ({
          timeUnixNano: String(BigInt(event.at.getTime()) * NANOSECONDS),
          severityNumber: event.kind === 'ERROR' ? ERROR_SEVERITY : INFO_SEVERITY,
          body: { stringValue: event.message || event.name },
          attributes: [
            ...attribute('kind', event.kind.toLowerCase()),
            ...attribute('name', event.name),
            ...attribute('value', event.value),
            ...attribute('http.response.status_code', event.status),
            ...attribute('session.id', session),
            ...attribute('enduser.pseudo.id', user),
            ...attribute('page', page),
            ...attribute('exception.type', event.error?.type ?? null),
            ...attribute('exception.message', event.error?.message ?? null),
          ],
        })),
      },
    ],
  };
};

/** Spans are not stored, so they are passed on as they came. */
export const otlpTraces = (body: unknown): readonly unknown[] => {
  const traces = isRecord(body) ? body['traces'] : undefined;
  const spans = isRecord(traces) ? traces['resourceSpans'] : undefined;
  return Array.isArray(spans) ? spans.slice(0, MAX_SPANS) : [];
};
