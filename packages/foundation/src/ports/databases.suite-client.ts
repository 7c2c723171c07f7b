/** Connects the suite to the databases that it tests. */
import pg from 'pg';

/** Returns a client that survives the loss of its connection. The next query reports the loss. */
export const createClient = (config: pg.ClientConfig): pg.Client => {
  const client = new pg.Client(config);
  client.on('error', () => {});
  return client;
};
