/** Streams of live changes, without a database. */
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { EventHub } from './event-hub.ts';

test('a stream ends after its time, so that a revoked token does not listen for ever', async () => {
  const hub = new EventHub({ lifeMs: 20 });
  const stream = hub.open();
  expect(hub.size).toBe(1);
  expect(await text(stream)).toBe(': open\n\n');
  await expect.poll(() => hub.size).toBe(0);
});
