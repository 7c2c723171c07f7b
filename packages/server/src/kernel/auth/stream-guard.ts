/** Ends a long-lived response once its caller loses access: signed out, token revoked, or removed from the team. */
import type { FastifyReply } from 'fastify';
import type { Caller } from '../http/handle.ts';

const LOOK_EVERY_MS = 15_000;

export const endWhenRefused = (reply: FastifyReply, callerNow: () => Promise<Caller | undefined>, everyMs = LOOK_EVERY_MS): void => {
  const look = async (): Promise<void> => {
    // An outage does not mean that access was revoked.
    const isRefused = await callerNow().then(
      (caller) => caller === undefined,
      () => false,
    );
    if (isRefused) reply.raw.destroy();
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  reply.raw.once('close', () => clearInterval(timer));
};
