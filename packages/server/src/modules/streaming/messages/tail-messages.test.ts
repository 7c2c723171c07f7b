/** The live view counts skipped messages: those beyond the rate limit, and those that the reader never received. */
import { expect, test } from 'vitest';
import { messageLimits, type TopicMessage } from '@slipway/contract/streaming/message.ts';
import type { StreamMessage } from '#ports/streaming.ts';
import { tailMessages } from './tail-messages.ts';

const at = (partition: number, offset: number): StreamMessage => ({
  partition,
  offset: BigInt(offset),
  timestamp: new Date(0),
  key: null,
  value: null,
  headers: [],
});

test('gaps in the offsets of a partition are messages that were passed over', async () => {
  const messages = async function* (signal: AbortSignal) {
    for (const [partition, offset] of [
      [0, 7],
      [1, 3],
      [0, 107],
      [0, 108],
      [1, 4],
    ] as const)
      yield at(partition, offset);
    for (let offset = 0; offset < messageLimits.tailPerSecond; offset += 1) yield at(2, offset);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const show = async ({ offset }: StreamMessage) => ({ offset: String(offset) }) as TopicMessage;
  const body = tailMessages({ messages, show, log: { debug() {}, info() {}, warn() {}, error() {} } });
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (text.includes('event: skipped')) break;
  }
  expect(text.match(/event: message/g)).toHaveLength(messageLimits.tailPerSecond);
  // 99 messages in partition 0, and five beyond the rate limit.
  expect(text).toContain('event: skipped\ndata: {"count":104}');
});
