/** A schema's text, with positions in it. */
import type { Place } from '@slipway/foundation/ports/schema.ts';

export interface Span {
  readonly path: string;
  /** Offsets in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
}

export class SourceText {
  readonly text: string;
  #lines: number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  place({ path, from, to }: Span): Place {
    const lines = (this.#lines ??= lineStarts(this.text));
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lines[middle] ?? 0) <= from) low = middle;
      else high = middle - 1;
    }
    return { path, line: low + 1, column: from - (lines[low] ?? 0) + 1, from, to };
  }
}

const lineStarts = (text: string): number[] => {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
};
