/** Splits a program's output into lines, regardless of chunk boundaries. */
import { StringDecoder } from 'node:string_decoder';

/** Longer lines are truncated, since one endless line would fill the memory. */
export const MAX_LINE = 16 * 1024;

export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #isCut = false;

  push(chunk: Buffer): readonly string[] {
    const parts = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = parts.pop() ?? '';
    const lines = parts.flatMap((part) => this.#finish(part));
    if (this.#rest.length > MAX_LINE) {
      if (!this.#isCut) lines.push(cut(this.#rest));
      this.#isCut = true;
      this.#rest = '';
    }
    return lines;
  }

  /** Returns the unterminated last line when the program ends. */
  end(): readonly string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    return rest === '' ? [] : this.#finish(rest);
  }

  #finish(line: string): readonly string[] {
    if (this.#isCut) {
      this.#isCut = false;
      return [];
    }
    return [cut(line.endsWith('\r') ? line.slice(0, -1) : line)];
  }
}

const cut = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} … (cut)` : line);
