/** A port that nobody listens on, for programs that need their port before they start. */
import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Below what the kernel gives to connections, so that none of those takes a port before its program does. */
const FIRST = 10_000;
/**
 * Number of ports for each test process that runs at the same time.
 * A process never gets a port that another process gave to a program that does not listen yet.
 */
const SHARE = 1000;
const SHARES = 16;
const first = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % SHARES) * SHARE;
let next = randomInt(SHARE);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** One after the other: a port comes again after all others. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + (next++ % SHARE);
    if (await isFree(port)) return port;
  }
};
