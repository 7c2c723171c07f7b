/** Streams of live changes, without a database. */
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createLog } from '#kernel/log.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { EventHub } from './event-hub.ts';

test('a stream ends after its time, so that nobody listens for ever', async () => {
  const hub = new EventHub({ lifeMs: 20, teamOf: async () => undefined, log: createLog('silent') });
  const caller = { id: 'olga' } as Caller;
  const stream = hub.open({ caller, callerNow: async () => caller });
  expect(hub.size).toBe(1);
  expect(await text(stream)).toBe(': open\n\n');
  await expect.poll(() => hub.size).toBe(0);
});
