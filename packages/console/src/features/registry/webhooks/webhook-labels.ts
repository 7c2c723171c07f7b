/** Labels for webhooks: their state, and the responses to deliveries. */
import {
  webhookEventLabels,
  type Webhook,
  type WebhookDelivery,
  type WebhookEventType,
  type WebhookTry,
} from '@slipway/contract/registry/webhook.ts';
import { deliveryFailures } from '@slipway/contract/kernel/delivery.ts';
import { fill } from '@slipway/contract/kernel/errors.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export interface Look {
  tone: Tone;
  word: string;
}

export const disabledWords: Readonly<Record<NonNullable<Webhook['disabledReason']>, string>> = {
  FAILING: 'Slipway disabled this webhook, because nothing could be delivered for days. Enable it once the target answers again.',
  GONE: 'Slipway disabled this webhook, because the target answered 410 Gone. Enable it once the target is back.',
};

export const webhookLook = ({ enabled, disabledReason, deliveries, lastDelivery }: Webhook): Look => {
  if (!enabled) return disabledReason === null ? { tone: 'off', word: 'Disabled' } : { tone: 'bad', word: 'Disabled by Slipway' };
  if (deliveries.failed > 0) return { tone: 'bad', word: `${deliveries.failed.toLocaleString('en')} failed` };
  if (deliveries.pending > 0) return { tone: 'run', word: `${deliveries.pending.toLocaleString('en')} on the way` };
  return lastDelivery === null ? { tone: 'off', word: 'Nothing sent yet' } : { tone: 'ok', word: 'All delivered' };
};

export const eventWords = (types: readonly WebhookEventType[]): string => types.map((type) => webhookEventLabels[type]).join(', ');

const statusWords: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
/** "503 Service Unavailable" */
export const statusText = (status: number): string => [status, statusWords[status]].filter(Boolean).join(' ');

/** "92 ms", "1.2 s". */
export const took = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : duration(ms));

type Answer = Pick<WebhookDelivery, 'status' | 'failure' | 'durationMs'>;
const failureWords: Readonly<Partial<Record<NonNullable<Answer['failure']>, string>>> = {
  REDIRECTED: 'Redirect, not followed',
  REFUSED_ADDRESS: 'Refused: inside address',
  REFUSED_TARGET: 'Refused: not to be called',
  NAME_NOT_FOUND: 'Name not found',
  NOT_REACHED: 'Not reached',
  CERTIFICATE: 'Certificate not trusted',
  BROKEN_ANSWER: 'Broken answer',
};
/** Short form, for the row. */
export const answerWord = ({ status, failure, durationMs }: Answer): string => {
  if (failure === 'TIMEOUT') return durationMs === null ? 'No answer' : `No answer in ${took(durationMs)}`;
  if (failure !== null && failure !== 'STATUS') return failureWords[failure] ?? failure;
  return status === null ? 'Not sent yet' : statusText(status);
};
/** Full sentence, for the open row. */
export const failureText = ({ failure, status, timings }: Pick<WebhookTry, 'failure' | 'status' | 'timings'>): string | undefined => {
  if (failure === null) return undefined;
  return fill(deliveryFailures[failure], {
    status: status === null ? '' : statusText(status),
    seconds: String(Math.round(timings.total / 1000)),
  });
};

export const answerLook = (delivery: Pick<WebhookDelivery, 'state' | 'tries'> & Answer): Look => {
  if (delivery.state === 'DELIVERED') return { tone: 'ok', word: answerWord(delivery) };
  if (delivery.state === 'PENDING' && delivery.tries === 0) return { tone: 'run', word: 'On the way' };
  return { tone: 'bad', word: answerWord(delivery) };
};

/** "3 of 8", "8, given up", "1". */
export const triesWord = ({ state, tries, maxTries }: Pick<WebhookDelivery, 'state' | 'tries' | 'maxTries'>): string => {
  if (state === 'PENDING') return `${tries} of ${maxTries}`;
  return state === 'FAILED' && maxTries > 1 ? `${tries}, given up` : String(tries);
};

export const timingRows = ({ lookup, connect, tls, firstByte, total }: WebhookTry['timings']): { label: string; value: string }[] =>
  [
    { label: 'Look-up', ms: lookup },
    { label: 'Connect', ms: connect },
    { label: 'TLS', ms: tls },
    { label: 'First byte', ms: firstByte },
    { label: 'In all', ms: total },
  ].flatMap(({ label, ms }) => (ms === null ? [] : [{ label, value: took(ms) }]));
