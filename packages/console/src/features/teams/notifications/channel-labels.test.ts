import type { NotificationChannel, NotificationDelivery } from '@slipway/contract/notification/notification.ts';
import { expect, test } from 'vitest';
import { channelLook, deliveryNote, deliveryTone, failingText, timeWord } from './channel-labels.ts';

const channel: NotificationChannel = {
  id: 'chan_1',
  name: 'Chat',
  kind: 'WEBHOOK',
  address: 'chat.example/••••4f2c',
  cadences: {},
  failingSince: null,
  lastDelivery: null,
  waiting: 0,
  nextTryAt: null,
  can: {},
};
const at = new Date(2026, 10, 24, 8, 14).toISOString();
const soon = Date.parse(at) + 60_000;

test('a channel works, fails since a time, or has sent nothing', () => {
  expect(channelLook(channel)).toEqual({ tone: 'off', word: 'Nothing sent yet' });
  const lastDelivery = { at, state: 'DELIVERED', status: 204, failure: null } as const;
  expect(channelLook({ ...channel, lastDelivery })).toEqual({ tone: 'ok', word: 'Delivered' });
  expect(channelLook({ ...channel, lastDelivery, failingSince: at })).toMatchObject({
    tone: 'bad',
    word: expect.stringMatching(/^Failing since .*08:14$/),
  });
});

test('a failing channel says what it answers and what waits', () => {
  const lastDelivery = { at, state: 'PENDING', status: 410, failure: 'STATUS' } as const;
  const failing = { ...channel, failingSince: at, lastDelivery, waiting: 6, nextTryAt: at };
  expect(failingText(failing)).toEqual({
    what: 'Chat: The target answered 410.',
    waits: expect.stringMatching(/^6 deliveries wait; next attempt at .*08:14\.$/),
  });
  expect(failingText({ ...failing, waiting: 0, nextTryAt: null })?.waits).toBe('Nothing waits.');
  expect(failingText(channel)).toBeUndefined();
});

test('another day is named', () => {
  expect(timeWord(at, soon)).toBe('08:14');
  expect(timeWord(at, soon + 2 * 86_400_000)).toBe('24 Nov 08:14');
});

const delivery: NotificationDelivery = {
  id: 'msg_1',
  channel: { id: 'chan_1', name: 'Chat', kind: 'WEBHOOK' },
  event: 'pipeline.failed',
  title: 'Deploy failed',
  state: 'PENDING',
  createdAt: at,
  tries: 0,
  maxTries: 6,
  nextTryAt: at,
  status: null,
  failure: null,
  answer: null,
  durationMs: null,
};
test.each([
  [{}, /on the way$/, 'run'],
  [{ event: 'DAILY' }, /^scheduled for .*08:14$/, 'run'],
  [{ tries: 4 }, /, attempt 4 of 6$/, 'bad'],
  [{ state: 'DELIVERED', tries: 1, durationMs: 412 }, /, in 0\.4 s$/, 'ok'],
  [{ state: 'FAILED', tries: 6 }, /, given up after 6 attempts$/, 'bad'],
  [{ state: 'FAILED', tries: 1, maxTries: 1 }, /, failed$/, 'bad'],
] as const)('a delivery with %j', (more, note, tone) => {
  expect(deliveryNote({ ...delivery, ...more })).toMatch(note);
  expect(deliveryTone({ ...delivery, ...more })).toBe(tone);
});
