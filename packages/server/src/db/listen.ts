/** LISTEN on one dedicated connection that survives restarts of the database. */
import type pg from 'pg';
import type { Log } from '#ports/log.ts';
import { keepConnection } from './kept-connection.ts';

export interface ListenOptions {
  /** Called after a reconnect. Notifications sent in between are lost: read the rows again. */
  readonly onReconnect?: () => void;
  readonly log?: Log;
}

export interface Listener {
  stop(): Promise<void>;
}

/** Resolves when the channel is listened to, and retries until then. The payload is empty for a NOTIFY without one. */
export async function listen(
  config: pg.ClientConfig,
  channel: string,
  onPayload: (payload: string) => void,
  { onReconnect, log }: ListenOptions = {},
): Promise<Listener> {
  const first = Promise.withResolvers<void>();
  let isFirst = true;
  const connection = keepConnection(config, {
    name: `listen ${channel}`,
    ...(log && { log }),
    use: async (client) => {
      client.on('notification', (message) => onPayload(message.payload ?? ''));
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      if (!isFirst) onReconnect?.();
      isFirst = false;
      first.resolve();
    },
  });
  await first.promise;
  return { stop: connection.stop };
}
