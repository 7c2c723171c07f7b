import type { Webhook, WebhookDelivery } from '@slipway/contract/registry/webhook.ts';
import { expect, test } from 'vitest';
import { curlOf, prettyBody } from './request-text.ts';
import { answerLook, failureText, timingRows, triesWord, webhookLook } from './webhook-labels.ts';

const webhook: Webhook = {
  name: 'board',
  description: '',
  targetUrl: 'https://board.example.test/hook',
  eventTypes: ['PUSH_ARTIFACT'],
  authorization: null,
  skipCertificateVerification: false,
  enabled: true,
  disabledReason: null,
  signingSecret: { setAt: '2026-11-22T10:00:00.000Z', previousEndsAt: null },
  deliveries: { delivered: 3, failed: 0, pending: 0 },
  lastDelivery: { at: '2026-11-22T10:00:00.000Z', state: 'DELIVERED' },
  createdAt: '2026-11-22T10:00:00.000Z',
  createdBy: { id: 'i', displayName: 'Ingrid' },
  updatedAt: '2026-11-22T10:00:00.000Z',
  can: {},
};
test.each<[Partial<Webhook>, string, string]>([
  [{}, 'ok', 'All delivered'],
  [{ lastDelivery: null, deliveries: { delivered: 0, failed: 0, pending: 0 } }, 'off', 'Nothing sent yet'],
  [{ deliveries: { delivered: 1, failed: 3, pending: 1 } }, 'bad', '3 failed'],
  [{ enabled: false }, 'off', 'Disabled'],
  [{ enabled: false, disabledReason: 'FAILING' }, 'bad', 'Disabled by Slipway'],
])('a webhook with %j', (own, tone, word) => {
  expect(webhookLook({ ...webhook, ...own })).toEqual({ tone, word });
});

type Shown = Pick<WebhookDelivery, 'state' | 'tries' | 'maxTries' | 'status' | 'failure' | 'durationMs'>;
test.each<[Shown, string, string, string]>([
  [{ state: 'PENDING', tries: 0, maxTries: 8, status: null, failure: null, durationMs: null }, 'run', 'On the way', '0 of 8'],
  [
    { state: 'PENDING', tries: 3, maxTries: 8, status: 503, failure: 'STATUS', durationMs: 1200 },
    'bad',
    '503 Service Unavailable',
    '3 of 8',
  ],
  [
    { state: 'FAILED', tries: 8, maxTries: 8, status: null, failure: 'TIMEOUT', durationMs: 10_000 },
    'bad',
    'No answer in 10 s',
    '8, given up',
  ],
  [{ state: 'DELIVERED', tries: 2, maxTries: 8, status: 204, failure: null, durationMs: 92 }, 'ok', '204 No Content', '2'],
  [
    { state: 'FAILED', tries: 1, maxTries: 1, status: null, failure: 'REFUSED_ADDRESS', durationMs: 4 },
    'bad',
    'Refused: inside address',
    '1',
  ],
])('a delivery with %j', (delivery, tone, word, tries) => {
  expect(answerLook(delivery)).toEqual({ tone, word });
  expect(triesWord(delivery)).toBe(tries);
});

test('an open try says in a sentence what failed, and shows no time for what did not happen', () => {
  const timings = { lookup: 3, connect: null, tls: null, firstByte: null, total: 10_000 };
  expect(failureText({ failure: 'TIMEOUT', status: null, timings })).toBe('No answer in 10 s');
  expect(failureText({ failure: null, status: 200, timings })).toBeUndefined();
  expect(timingRows(timings)).toEqual([
    { label: 'Look-up', value: '3 ms' },
    { label: 'In all', value: '10 s' },
  ]);
});

test('the request as a command quotes what a shell would read, and holds no secret', () => {
  const command = curlOf({
    method: 'POST',
    url: 'https://board.example.test/hook?a=1&b=2',
    headers: [
      { name: 'Authorization', value: '' },
      { name: 'webhook-id', value: 'msg_1' },
    ],
    body: `{"operator":"robot$berth+o'hara"}`,
    sizeBytes: 33,
  });
  expect(command).toContain(`curl -X POST 'https://board.example.test/hook?a=1&b=2'`);
  expect(command).toContain(`-H 'Authorization: YOUR VALUE'`);
  expect(command).toContain(String.raw`--data-raw '{"operator":"robot$berth+o'\''hara"}'`);
});

test('a body that is JSON is laid out, another stays as it is', () => {
  expect(prettyBody('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(prettyBody('no healthy upstream')).toBe('no healthy upstream');
});
