/** A port that nobody listens on, for programs that need their port before they start. */
import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Below what the kernel gives to connections, so that none of those takes the port before the program does. */
const [FIRST, END] = [10_000, 20_000];
const given = new Set<number>();

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Never the same twice in one process. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
};
