/**
 * Computes which lines of a log are shown and the row of each, so that only the lines in view have to be rendered. In a monospaced font
 * the height of a wrapped line follows from its length, so no line is measured.
 */
import { matches, noFilter, type LogFilter } from './log-filter.ts';
import type { LogLine } from './log-line.ts';
import type { LogStore } from './log-store.ts';

export interface Columns {
  /** Characters per row of text; 0 if lines are not wrapped. */
  readonly wrapAt: number;
  /** Rows above the text: on phones the time is above it. */
  readonly headRows: number;
}

const plain = /^[\x20-\x7E]*$/;
// Scripts with double-width characters, and pictographs.
const wide = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;
const joining = /\p{M}|\u200D|\uFE0F/u;

/** Returns the number of cells that a text takes in a monospaced font. */
export const cellsOf = (text: string): number => {
  if (plain.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += joining.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return cells;
};

export const rowsOf = (text: string, { wrapAt, headRows }: Columns): number =>
  headRows + (wrapAt > 0 ? Math.max(1, Math.ceil(cellsOf(text) / wrapAt)) : 1);

export class LogLayout {
  readonly #store: LogStore;
  #filter: LogFilter = noFilter;
  #columns: Columns = { wrapAt: 0, headRows: 0 };
  #lines: LogLine[] = [];
  #tops: number[] = [];
  /** Position of each shown line in the log, counted from its very first line. */
  #places: number[] = [];
  #trimmed = 0;
  #rows = 0;
  #cells = 0;
  /** Number of lines processed so far, counted from the store's very first line. */
  #seen = 0;
  #dropped = 0;

  constructor(store: LogStore) {
    this.#store = store;
  }

  /** Updates the layout. Costs only the new lines; another filter or width processes all lines. */
  update(filter: LogFilter, columns: Columns): void {
    const { dropped, lines } = this.#store;
    const isOther = filter !== this.#filter || columns.wrapAt !== this.#columns.wrapAt || columns.headRows !== this.#columns.headRows;
    if (isOther || dropped + lines.length < this.#seen) this.#reset(filter, columns);
    if (dropped > this.#dropped) this.#trim(dropped);
    for (let index = Math.max(0, this.#seen - dropped); index < lines.length; index += 1) {
      const line = lines[index];
      if (line && matches(line, filter)) this.#add(line, dropped + index);
    }
    this.#seen = dropped + lines.length;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }
  /** Number of rows of all lines. */
  get rows(): number {
    return this.#rows;
  }
  /** Number of cells of the longest line. */
  get cells(): number {
    return this.#cells;
  }
  /** Number of rows removed at the old end so far. */
  get trimmedRows(): number {
    return this.#trimmed;
  }
  /** Returns the row at which a line starts. */
  topOf(index: number): number {
    return this.#tops[index] ?? this.#rows;
  }
  /** Returns the line at a row, by binary search. */
  indexAt(row: number): number {
    let low = 0;
    let high = this.#tops.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#tops[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
  indexOf(key: string): number {
    return this.#lines.findIndex((line) => line.key === key);
  }

  #reset(filter: LogFilter, columns: Columns): void {
    this.#filter = filter;
    this.#columns = columns;
    this.#lines = [];
    this.#tops = [];
    this.#places = [];
    this.#rows = 0;
    this.#cells = 0;
    this.#dropped = this.#store.dropped;
    this.#seen = this.#dropped;
  }

  #trim(dropped: number): void {
    const found = this.#places.findIndex((place) => place >= dropped);
    const count = found < 0 ? this.#places.length : found;
    const rows = this.topOf(count);
    this.#lines = this.#lines.slice(count);
    this.#places = this.#places.slice(count);
    this.#tops = this.#tops.slice(count).map((top) => top - rows);
    this.#rows -= rows;
    this.#trimmed += rows;
    this.#dropped = dropped;
  }

  #add(line: LogLine, place: number): void {
    this.#lines.push(line);
    this.#places.push(place);
    this.#tops.push(this.#rows);
    this.#rows += rowsOf(line.text, this.#columns);
    if (this.#columns.wrapAt === 0) this.#cells = Math.max(this.#cells, cellsOf(line.text));
  }
}
