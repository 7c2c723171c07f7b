/** The authorization header and the signing secrets of webhooks: sealed for the row and column that they stand in. */
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { platformKey } from '#kernel/platform-keys.ts';
import { openText, sealText } from '#kernel/sealed-text.ts';
import type { Keys } from '#ports/keys.ts';

const KEY_BYTES = 32;

export interface WebhookSeals {
  seal(webhookId: string, what: 'authorization' | 'secret', text: string): Promise<Buffer>;
  open(webhookId: string, what: 'authorization' | 'secret', sealed: Uint8Array): Promise<string>;
}

export const createWebhookSeals = (pool: Pool, keys: Keys): WebhookSeals => {
  let made: Promise<Uint8Array> | undefined;
  const key = (): Promise<Uint8Array> => {
    made ??= platformKey(pool, keys, 'webhook-seals', () => randomBytes(KEY_BYTES)).catch((error: unknown) => {
      // Asked again by the next: the engine of the keys may be back by then.
      made = undefined;
      throw error;
    });
    return made;
  };
  const place = (id: string, what: string): string => `webhook:${id}/${what}`;
  return {
    seal: async (id, what, text) => sealText(await key(), place(id, what), text),
    open: async (id, what, sealed) => openText(await key(), place(id, what), sealed),
  };
};
