/** Streams numbered events to the listening server, and sends a later server the events that nobody has read. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { InstanceEvent } from '@slipway/foundation/ports/runtime.ts';
import { BEAT_MS, type Taking, type AgentReport } from './wire.ts';

/** Events kept for later readers. */
const KEPT = 1000;
/** A reader that is this far behind is disconnected. It may reconnect, and then gets only the newest events. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;

export class EventFeed {
  /** Identifies this run of the agent. */
  readonly #agent = randomUUID();
  readonly #kept: string[] = [];
  readonly #beating = setInterval(() => this.#beat(), BEAT_MS).unref();
  #reader: ServerResponse | undefined;
  #number = 0;
  /** Number of the newest event when the last reader left. */
  #heard = 0;

  /** Number of the newest event. */
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

  /** Replaces the previous reader. */
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

  /** Skips a stalled reader, so that heartbeats do not pile up. */
  #beat(): void {
    if (this.#reader && !this.#reader.writableNeedDrain) this.#reader.write(lineOf({}));
  }
}

const lineOf = (reported: AgentReport): string => `${JSON.stringify(reported)}\n`;
