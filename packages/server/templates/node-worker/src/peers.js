// Services that each run of the job asks first: PEER_URLS, separated by commas. Without it there are none.
import { get } from 'node:http';

import { log } from './log.js';

const urls = (process.env.PEER_URLS ?? '').split(',').filter((url) => url !== '');

/** Names below localhost are this machine: not every resolver knows them. */
const hostOf = ({ hostname }) => (hostname.endsWith('.localhost') ? '127.0.0.1' : hostname);

const ask = (url, signal) =>
  new Promise((resolve, reject) => {
    const { host, port, pathname } = url;
    const request = get({ host: hostOf(url), port: port || 80, path: pathname, headers: { host }, signal }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    request.on('error', reject);
  });

/** Asks all peers. A peer that does not answer is logged, and the job goes on. */
export const askPeers = async (signal) => {
  for (const text of urls) {
    try {
      log.info('peer answered', { url: text, status: await ask(new URL(text), signal) });
    } catch (error) {
      log.error('peer does not answer', { url: text, error: String(error?.message ?? error) });
    }
  }
};
