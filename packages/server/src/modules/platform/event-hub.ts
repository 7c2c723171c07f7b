/** Live changes: one database listener a replica, fanned out to the browsers that hold a stream open. */
import { PassThrough } from 'node:stream';
import type { DatabaseConfig } from '#db/database.ts';
import { listen, type Listener } from '#db/listen.ts';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import type { Log } from '#ports/log.ts';

/** Keeps proxies from closing a quiet stream, and tells the browser that the line is alive. */
const pingMs = 15_000;
/** A browser that reads nothing for so many bytes is let go: it reconnects and reads anew. */
const backlogBytes = 256 * 1024;
/** Whoever was let in is asked again after so long: a token may have been revoked meanwhile. */
const lifeMs = 15 * 60_000;

export class EventHub {
  readonly #streams = new Set<PassThrough>();
  #listener: Listener | undefined;
  #ping: NodeJS.Timeout | undefined;
  readonly #lifeMs: number;

  constructor(options: { readonly lifeMs?: number } = {}) {
    this.#lifeMs = options.lifeMs ?? lifeMs;
  }

  async start(connection: DatabaseConfig, log: Log): Promise<void> {
    // After a lost connection nobody knows what was missed: `resync` makes every browser read what it shows.
    const onReconnect = () => this.#send('event: resync\ndata: {}\n\n');
    this.#listener = await listen(connection, CHANGE_CHANNEL, (payload) => this.#send(`data: ${payload}\n\n`), { onReconnect, log });
    this.#ping = setInterval(() => this.#send(': ping\n\n'), pingMs);
  }

  open(): PassThrough {
    const stream = new PassThrough();
    this.#streams.add(stream);
    const ending = setTimeout(() => stream.end(), this.#lifeMs).unref();
    stream.once('close', () => {
      clearTimeout(ending);
      this.#streams.delete(stream);
    });
    stream.write(': open\n\n');
    return stream;
  }

  #send(text: string): void {
    for (const stream of this.#streams) {
      if (stream.writableLength > backlogBytes) stream.destroy();
      else stream.write(text);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#ping);
    for (const stream of this.#streams) stream.end();
    await this.#listener?.stop();
  }

  get size(): number {
    return this.#streams.size;
  }
}
