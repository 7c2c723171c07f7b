/**
 * Allocates unique ids for idempotent producers. Reserves a thousand at a time in the file, so a kill may lose some ids but never reuses
 * one.
 */
import path from 'node:path';
import { z } from 'zod';
import { readState, writeState } from '../state/state-file.ts';

const BLOCK = 1000;
const State = z.object({ next: z.int().min(0) });

export class ProducerIds {
  readonly #file: string;
  #next = 0;
  #end = 0;
  #taking: Promise<void> | undefined;

  constructor(directory: string) {
    this.#file = path.join(directory, 'producer-ids.json');
  }

  async take(): Promise<number> {
    while (this.#next >= this.#end) await (this.#taking ??= this.#takeBlock());
    this.#next += 1;
    return this.#next - 1;
  }

  async #takeBlock(): Promise<void> {
    try {
      const { next } = State.parse((await readState(this.#file)) ?? { next: 0 });
      await writeState(this.#file, { next: next + BLOCK });
      this.#next = next;
      this.#end = next + BLOCK;
    } finally {
      this.#taking = undefined;
    }
  }
}
