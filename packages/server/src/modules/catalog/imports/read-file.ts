/** Reads an uploaded CSV file while it arrives, within limits. */
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { maxImportMegabytes, maxImportRows, type ImportFormat } from '@slipway/contract/catalog/import.ts';
import { Problem } from '#kernel/problem.ts';

export interface FileRow {
  /** Line of the file, or number of the document. */
  readonly line: number;
  readonly cells: readonly string[];
}
export interface ImportFile {
  readonly format: ImportFormat;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<FileRow>;
}

const maxColumns = 200;
const maxCell = 10_000;
const maxRecordBytes = 256 * 1024;
export const tooLarge = (limit: string): Problem => new Problem('ImportTooLarge', { context: { limit } });
export const unreadable = (reason: string, cause?: unknown): Problem =>
  new Problem('ImportUnreadable', { context: { reason }, ...(cause !== undefined && { cause }) });

/** Exports prefix text that a spreadsheet would execute with an apostrophe. PostgreSQL stores no NUL. */
export const cellOf = (text: string): string =>
  text
    .trim()
    .replace(/^'(?=[=+\-@])/, '')
    .replaceAll('\0', '\u{FFFD}')
    .slice(0, maxCell)
    .toWellFormed();

async function* limited(bytes: Readable): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    const part = Buffer.from(chunk as Uint8Array);
    size += part.length;
    if (size > maxImportMegabytes * 1024 * 1024) throw tooLarge(`${maxImportMegabytes} MB`);
    yield part;
  }
}

/** Parses the header and the rows. The delimiter is a comma, a semicolon or a tab, whichever the first line has most of. */
export async function* csvRows(bytes: Readable): AsyncGenerator<FileRow> {
  const source = limited(bytes);
  const first = await source.next();
  const head = first.done === true ? Buffer.alloc(0) : first.value;
  if (head.subarray(0, 2).toString('latin1') === 'PK') throw unreadable('it is an Excel workbook. Save the sheet as CSV');
  const [line = ''] = head
    .subarray(0, 64 * 1024)
    .toString('utf8')
    .split(/\r?\n/, 1);
  const delimiter = [',', ';', '\t'].toSorted((one, other) => line.split(other).length - line.split(one).length)[0] ?? ',';
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
  });
  const feed = async (): Promise<void> => {
    const write = async (part: Buffer): Promise<void> => {
      if (!parser.write(part)) await new Promise<void>((drained) => void parser.once('drain', drained).once('close', drained));
    };
    await write(head);
    for await (const part of source) {
      if (parser.destroyed) return;
      await write(part);
    }
    parser.end();
  };
  feed().catch((error: unknown) => parser.destroy(error instanceof Error ? error : new Error(String(error))));
  let count = 0;
  let last = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (record.length > maxColumns) throw tooLarge(`${maxColumns} columns`);
      // The first record is the header.
      if (count > maxImportRows) throw tooLarge(`${maxImportRows.toLocaleString('en')} rows`);
      count += 1;
      // A record with line breaks begins on the line after the former.
      yield { line: last + 1, cells: record.map(cellOf) };
      last = info.lines;
    }
  } catch (error) {
    if (error instanceof CsvError) throw unreadable(error.message, error);
    throw error;
  } finally {
    parser.destroy();
  }
}
