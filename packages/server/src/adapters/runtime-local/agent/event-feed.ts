/** Tells what happens to everybody who listens, numbered, and once more to those who come back after a moment. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { InstanceEvent } from '#ports/runtime.ts';
import { BEAT_MS, type Told } from './wire.ts';

/** For those who come back. */
const KEPT = 1000;
/** A reader that is this far behind reads no more: it may come back, and is told of the newest events only. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;

export class EventFeed {
  /** Names this run of the agent. */
  readonly #agent = randomUUID();
  readonly #readers = new Set<ServerResponse>();
  readonly #kept: string[] = [];
  readonly #beating = setInterval(() => this.#beat(), BEAT_MS).unref();
  #number = 0;

  /** Of the newest event. */
  get number(): number {
    return this.#number;
  }

  push(event: InstanceEvent): void {
    this.#number += 1;
    const line = lineOf({ number: this.#number, event: { ...event, at: event.at.toISOString() } });
    this.#kept.push(line);
    if (this.#kept.length > KEPT) this.#kept.shift();
    for (const reader of this.#readers) {
      if (reader.writableLength > MAX_BEHIND_BYTES) reader.destroy();
      else reader.write(line);
    }
  }

  open(reader: ServerResponse, { agent, after }: { agent?: string; after?: number }): void {
    const missed = agent === this.#agent && after !== undefined ? Math.min(this.#number - after, this.#kept.length) : 0;
    reader.writeHead(200, { 'content-type': 'application/x-ndjson' });
    reader.write(lineOf({ agent: this.#agent, number: this.#number - missed }));
    for (const line of this.#kept.slice(this.#kept.length - missed)) reader.write(line);
    this.#readers.add(reader);
    reader.on('error', () => {});
    reader.once('close', () => this.#readers.delete(reader));
  }

  close(): void {
    clearInterval(this.#beating);
    for (const reader of this.#readers) reader.destroy();
  }

  /** A reader that stands still is not sent beats to read later. */
  #beat(): void {
    for (const reader of this.#readers) if (!reader.writableNeedDrain) reader.write(lineOf({}));
  }
}

const lineOf = (told: Told): string => `${JSON.stringify(told)}\n`;
