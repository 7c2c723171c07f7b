/** Lost access ends a long-lived response, an outage does not. A finished response is no longer checked. */
import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import type { Caller } from '../http/handle.ts';
import { endWhenRefused } from './stream-guard.ts';

const openReply = () => {
  const raw = Object.assign(new EventEmitter(), { destroy: () => raw.emit('close') });
  return { reply: { raw } as unknown as FastifyReply, closed: new Promise((resolve) => raw.once('close', resolve)) };
};

test('refused after an outage: ended then, and asked no more', async () => {
  const caller = { id: 'olga' } as Caller;
  const answers: (() => Promise<Caller | undefined>)[] = [
    async () => caller,
    () => Promise.reject(new Error('the database is away')),
    async () => undefined,
  ];
  const { reply, closed } = openReply();
  let asked = 0;
  endWhenRefused(reply, () => (answers[asked++] ?? (async () => undefined))(), 1);
  await closed;
  expect(asked).toBe(3);
  expect(reply.raw.listenerCount('close')).toBe(0);
});
