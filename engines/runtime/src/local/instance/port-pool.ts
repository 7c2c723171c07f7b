/** Assigns loopback ports, one per running instance, that are neither in use nor assigned. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral port range, from which an outgoing connection could otherwise take an instance's port. */
const FIRST = 20_000;
const LAST = 31_999;
const ATTEMPTS = 200;

export class PortPool {
  readonly #taken = new Set<number>();

  /** Rejects if no port is free. The caller returns the port with `release`. */
  async take(): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const port = randomInt(FIRST, LAST + 1);
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '0.0.0.0'))) return port;
      this.#taken.delete(port);
    }
    throw new Error('No free port was found for the instance.');
  }

  release(port: number): void {
    this.#taken.delete(port);
  }
}

async function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
