/** One try of a delivery: signed, sent, and what came back cut to what the log keeps. */
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookFailure, WebhookTry } from '@slipway/contract/registry/webhook.ts';
import type { Outgoing, OutgoingResult } from '#kernel/outgoing/outgoing.ts';
import { signatureHeaders } from './signature.ts';
import type { WebhookSeals } from './webhook-seals.ts';

export interface WebhookRow {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly target_url: string;
  readonly authorization_sealed: Buffer | null;
  readonly secret_sealed: Buffer;
  readonly previous_secret_sealed: Buffer | null;
  readonly previous_secret_until: Date | null;
  readonly skip_verification: boolean;
}
export interface DeliveryTry extends Omit<WebhookTry, 'number' | 'at' | 'certificateUntil' | 'failure'> {
  readonly at: Date;
  readonly certificateUntil: Date | null;
  readonly failure: WebhookFailure | undefined;
  readonly sentHeaders: WebhookTry['headers'];
  /** The target wants no more of it. */
  readonly isGone: boolean;
  readonly retryAfterSeconds: number | undefined;
}

const TIMEOUT_MS = 10_000;
const KEPT_BODY_BYTES = 512;
const KEPT_HEADER_LENGTH = 200;
/** The first six of these that an answer has. None of them holds a cookie or a token. */
const KEPT_HEADERS = ['content-type', 'content-length', 'server', 'retry-after', 'location', 'date', 'via', 'x-request-id'] as const;
const KEPT_HEADERS_COUNT = 6;
const HIDDEN = '(set, hidden)';
const GONE = 410;

/** PostgreSQL keeps no NUL, and nobody can read half a character. */
const readable = (text: string): string => text.replaceAll('\0', '\u{FFFD}').toWellFormed();

const keptHeaders = (headers: IncomingHttpHeaders): WebhookTry['headers'] =>
  KEPT_HEADERS.filter((name) => headers[name] !== undefined)
    .slice(0, KEPT_HEADERS_COUNT)
    .map((name) => ({ name, value: readable(String(headers[name])).slice(0, KEPT_HEADER_LENGTH) }));

const failureOf = ({ answer, failure }: OutgoingResult): WebhookFailure | undefined => {
  if (!answer) return failure ?? 'NOT_REACHED';
  if (answer.status >= 200 && answer.status < 300) return undefined;
  return answer.status >= 300 && answer.status < 400 ? 'REDIRECTED' : 'STATUS';
};

const secondsOf = (text: string | undefined): number | undefined => (text && /^\d{1,6}$/.test(text) ? Number(text) : undefined);

interface ToSend {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}
export const sendDelivery = async (
  { outgoing, seals }: { readonly outgoing: Outgoing; readonly seals: WebhookSeals },
  webhook: WebhookRow,
  { id, event, body }: ToSend,
): Promise<DeliveryTry> => {
  const at = new Date();
  const current = [await seals.open(webhook.id, 'secret', webhook.secret_sealed)];
  const { previous_secret_sealed: previous, previous_secret_until: until } = webhook;
  if (previous && until && until > at) current.push(await seals.open(webhook.id, 'secret', previous));
  const authorization = webhook.authorization_sealed && (await seals.open(webhook.id, 'authorization', webhook.authorization_sealed));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Slipway-Webhook/1',
    'x-slipway-event': event,
    ...signatureHeaders({ id, at, body, secrets: current }),
  };
  const result = await outgoing.send({
    url: new URL(webhook.target_url),
    method: 'POST',
    headers: { ...headers, ...(authorization ? { authorization } : {}) },
    body,
    skipCertificateVerification: webhook.skip_verification,
    timeoutMs: TIMEOUT_MS,
    bodyBytes: KEPT_BODY_BYTES,
  });
  const { answer, address, certificateUntil, timings } = result;
  return {
    at,
    status: answer?.status ?? null,
    failure: failureOf(result),
    address,
    sentHeaders: Object.entries({ ...headers, ...(authorization ? { authorization: HIDDEN } : {}) }).map(([name, value]) => ({
      name,
      value,
    })),
    headers: keptHeaders(answer?.headers ?? {}),
    body: readable(answer?.body.toString('utf8') ?? ''),
    isBodyCut: answer?.isBodyCut ?? false,
    certificateUntil,
    timings,
    isGone: answer?.status === GONE,
    retryAfterSeconds: secondsOf(answer?.headers['retry-after']),
  };
};
