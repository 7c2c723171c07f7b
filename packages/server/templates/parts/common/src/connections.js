// Uses every connection of connection-list.js: opens it, writes what happens to it, and shows on the page what it holds.
import { setTimeout as sleep } from 'node:timers/promises';

import { list } from './connection-list.js';
import { html } from './html.js';
import { log } from './log.js';

const RETRY_MS = 2_000;
const PATIENCE_MS = 2_000;
const stopping = new AbortController();

/** Tries until it works: a service starts even if its database is away at that moment. */
const openOne = async (connection) => {
  while (!stopping.signal.aborted) {
    try {
      await connection.open();
      log.info('connected', { connection: connection.title });
      await connection.record('The service started');
      return;
    } catch (error) {
      log.error('not connected', { connection: connection.title, error: String(error?.message ?? error) });
      await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
};

const within = (work) =>
  Promise.race([work, sleep(PATIENCE_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer within 2 seconds')))]);

/** Opens all connections in the background. */
export const open = () => list.forEach((connection) => void openOne(connection));

/** Writes a text into every connection. Failures are logged, and do not stop the caller. */
export const record = async (text) => {
  await Promise.all(
    list.map((connection) =>
      within(connection.record(text)).catch((error) => log.error('not written', { connection: connection.title, error: error.message })),
    ),
  );
};

const entry = ({ at, text }) => html`<li><time datetime="${at}">${at.slice(0, 19).replace('T', ' ')}</time> ${text}</li>`;

const show = async (connection) => {
  const { title } = connection;
  try {
    const { summary, entries } = await within(connection.read());
    return html`<h3>${title}</h3><p>${summary}</p><ul>${entries.map(entry)}</ul>`;
  } catch (error) {
    return html`<h3>${title}</h3><p>Not connected: ${error.message}</p>`;
  }
};

/** A section for the page, with what the connections hold now. */
export const section = async () => html`
      <section class="wrap" id="connections" aria-labelledby="connections-title">
        <h2 id="connections-title">Connections</h2>${await Promise.all(list.map(show))}
      </section>`;

export const close = async () => {
  stopping.abort();
  await Promise.allSettled(list.map((connection) => connection.close()));
};
