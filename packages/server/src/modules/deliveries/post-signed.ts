/** Sends one signed POST to an address that a user named, and cuts the response to what a delivery log keeps. */
import type { IncomingHttpHeaders } from 'node:http';
import type { DeliveryFailure, DeliveryTimings, DeliveryHeader } from '@slipway/contract/kernel/delivery.ts';
import { inSpan } from '#kernel/telemetry/tracing.ts';
import type { Outgoing, OutgoingRequest, OutgoingResult } from '#kernel/outgoing/outgoing.ts';
import type { Outcome } from './delivery-rows.sql.ts';
import { signatureHeaders } from './signature.ts';

export interface DeliveryTry extends Outcome {
  readonly failure: DeliveryFailure | undefined;
  readonly at: Date;
  readonly address: string | null;
  readonly sentHeaders: DeliveryHeader[];
  readonly headers: DeliveryHeader[];
  readonly body: string;
  readonly isBodyCut: boolean;
  readonly certificateUntil: Date | null;
  readonly timings: DeliveryTimings;
}

const TIMEOUT_MS = 10_000;
const KEPT_BODY_BYTES = 512;
const KEPT_HEADER_LENGTH = 200;
/** The first six of these that a response has. None of them holds a cookie or a token. */
const KEPT_HEADERS = ['content-type', 'content-length', 'server', 'retry-after', 'location', 'date', 'via', 'x-request-id'] as const;
const KEPT_HEADERS_COUNT = 6;
const HIDDEN = '(set, hidden)';
const GONE = 410;

/** PostgreSQL stores no NUL, and half a character is unreadable. */
const readable = (text: string): string => text.replaceAll('\0', '\u{FFFD}').toWellFormed();

const keptHeaders = (headers: IncomingHttpHeaders): DeliveryHeader[] =>
  KEPT_HEADERS.filter((name) => headers[name] !== undefined)
    .slice(0, KEPT_HEADERS_COUNT)
    .map((name) => ({ name, value: readable(String(headers[name])).slice(0, KEPT_HEADER_LENGTH) }));

/** Why a call has no 2xx response. */
export const deliveryFailureOf = ({ answer, failure }: OutgoingResult): DeliveryFailure | undefined => {
  if (!answer) return failure ?? 'NOT_REACHED';
  if (answer.status >= 200 && answer.status < 300) return undefined;
  return answer.status >= 300 && answer.status < 400 ? 'REDIRECTED' : 'STATUS';
};

const secondsOf = (text: string | undefined): number | undefined => (text && /^\d{1,6}$/.test(text) ? Number(text) : undefined);

export interface Message {
  /** The same in every try of a delivery. */
  readonly id: string;
  readonly url: string;
  readonly event: string;
  readonly body: string;
  /** The current signing secrets. Empty for receivers that do not check signatures. */
  readonly secrets: readonly string[];
  readonly authorization?: string | undefined;
  readonly skipCertificateVerification?: boolean;
}
export const postSigned = async (outgoing: Outgoing, message: Message): Promise<DeliveryTry> => {
  const { id, url, event, body, secrets, authorization, skipCertificateVerification = false } = message;
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Slipway-Webhook/1',
    'x-slipway-event': event,
    ...signatureHeaders({ id, at, body, secrets }),
  };
  const call: OutgoingRequest = {
    url: new URL(url),
    method: 'POST',
    headers: { ...headers, ...(authorization ? { authorization } : {}) },
    body,
    skipCertificateVerification,
    timeoutMs: TIMEOUT_MS,
    bodyBytes: KEPT_BODY_BYTES,
  };
  const result = await inSpan(`deliver ${event}`, { parent: null, attributes: { 'slipway.delivery': id } }, () => outgoing.send(call));
  const { answer, address, certificateUntil, timings } = result;
  const sent = { ...headers, ...(authorization ? { authorization: HIDDEN } : {}) };
  return {
    at,
    status: answer?.status ?? null,
    failure: deliveryFailureOf(result),
    address,
    sentHeaders: Object.entries(sent).map(([name, value]) => ({ name, value })),
    headers: keptHeaders(answer?.headers ?? {}),
    body: readable(answer?.body.toString('utf8') ?? ''),
    isBodyCut: answer?.isBodyCut ?? false,
    certificateUntil,
    timings,
    durationMs: timings.total,
    isGone: answer?.status === GONE,
    retryAfterSeconds: secondsOf(answer?.headers['retry-after']),
  };
};
