/** Tells what happens to the server that listens, numbered, and to one that comes later what nobody has heard. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { InstanceEvent } from '#ports/runtime.ts';
import { BEAT_MS, type Taking, type AgentReport } from './wire.ts';

/** For those who come later. */
const KEPT = 1000;
/** A reader that is this far behind reads no more: it may come back, and then gets the newest events only. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;

export class EventFeed {
  /** Names this run of the agent. */
  readonly #agent = randomUUID();
  readonly #kept: string[] = [];
  readonly #beating = setInterval(() => this.#beat(), BEAT_MS).unref();
  #reader: ServerResponse | undefined;
  #number = 0;
  /** The newest event when the last reader left. */
  #heard = 0;

  /** Of the newest event. */
  get number(): number {
    return this.#number;
  }

  push(event: InstanceEvent): void {
    this.#number += 1;
    const line = lineOf({ number: this.#number, event: { ...event, at: event.at.toISOString() } });
    this.#kept.push(line);
    if (this.#kept.length > KEPT) this.#kept.shift();
    if ((this.#reader?.writableLength ?? 0) > MAX_BEHIND_BYTES) this.#reader?.destroy();
    else this.#reader?.write(line);
  }

  /** In place of the reader of before. */
  open(reader: ServerResponse, heard: Taking['heard']): void {
    this.#reader?.destroy();
    this.#leave();
    const from = heard?.agent === this.#agent ? heard.number : this.#heard;
    const missed = Math.min(this.#number - from, this.#kept.length);
    reader.writeHead(200, { 'content-type': 'application/x-ndjson' });
    reader.write(lineOf({ agent: this.#agent, number: this.#number - missed }));
    for (const line of this.#kept.slice(this.#kept.length - missed)) reader.write(line);
    this.#reader = reader;
    reader.on('error', () => {});
    reader.once('close', () => {
      if (this.#reader === reader) this.#leave();
    });
  }

  close(): void {
    clearInterval(this.#beating);
    this.#reader?.destroy();
  }

  #leave(): void {
    if (this.#reader) this.#heard = this.#number;
    this.#reader = undefined;
  }

  /** A reader that stands still is not sent beats to read later. */
  #beat(): void {
    if (this.#reader && !this.#reader.writableNeedDrain) this.#reader.write(lineOf({}));
  }
}

const lineOf = (reported: AgentReport): string => `${JSON.stringify(reported)}\n`;
