/** A layer's entries in a file, one a line: as many as there are, neither writing nor reading them needs a text of all at once. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { parseLayerEntry } from './layer-entry.ts';
import type { LayerEntry } from './layer-entry.ts';

const PIECE = 1 << 16;

export class EntryList {
  readonly #file: FileHandle;
  #waiting = '';
  #entries = 0;
  #bytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<EntryList> {
    return new EntryList(await open(path, 'wx', 0o600));
  }

  get entries(): number {
    return this.#entries;
  }
  get bytes(): number {
    return this.#bytes;
  }

  async add(entry: LayerEntry): Promise<void> {
    const line = `${JSON.stringify(entry)}\n`;
    this.#entries += 1;
    this.#bytes += Buffer.byteLength(line);
    this.#waiting += line;
    if (this.#waiting.length >= PIECE) await this.end();
  }

  /** Writes what is not written yet. */
  async end(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    await this.#file.appendFile(text);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Throws for a list that is damaged, or longer than `bytes`. */
export const readEntryList = async (path: string, bytes: number): Promise<LayerEntry[]> => {
  const { size } = await stat(path);
  if (size !== bytes) throw new Error(`${path} has ${size} bytes instead of ${bytes}`);
  const entries: LayerEntry[] = [];
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    // By hand: a name may hold other characters that readline ends a line at.
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) entries.push(parseLayerEntry(line));
  }
  return entries;
};
