/** Scrapes an instance's metrics endpoint, only on the port it was assigned (decisions §9). */
import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import { asciiPath } from './health/ascii-path.ts';

export interface ScrapeOptions {
  readonly path: string;
  /** Deadline for the whole response. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const ACCEPT = 'text/plain;version=0.0.4, text/plain;q=0.5, */*;q=0.1';

export async function scrapeInstance(connect: () => Socket, { maxBytes, path, timeoutMs }: ScrapeOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({
      host: 'localhost',
      path: asciiPath(path),
      createConnection: connect,
      headers: { accept: ACCEPT, 'accept-encoding': 'identity', connection: 'close', 'user-agent': 'slipway-scrape' },
    });
    const fail = (kind: 'unavailable' | 'rejected', message: string): void => {
      clearTimeout(timer);
      reject(new PortFailure(kind, message));
      asking.destroy();
    };
    const timer = setTimeout(() => fail('unavailable', `it did not answer within ${timeoutMs / 1000} s`), timeoutMs);
    asking.on('error', (error: NodeJS.ErrnoException) => fail('unavailable', `the connection failed (${error.code ?? error.message})`));
    asking.once('response', (answer: IncomingMessage) => {
      if (answer.statusCode !== 200) return fail('rejected', `${path} answered ${answer.statusCode ?? 'nothing'}`);
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if ((bytes += chunk.length) > maxBytes) fail('rejected', `it said more than ${maxBytes} bytes`);
      });
      answer.on('error', () => fail('unavailable', 'the answer broke off'));
      answer.once('end', () => {
        clearTimeout(timer);
        resolve(Buffer.concat(chunks).toString('utf8'));
      });
    });
    asking.end();
  });
}
