/** Where a page ended, for the next one of a list that grows while it is read: the instant and the key of the last row. */
import { Problem } from './problem.ts';

export interface Cursor {
  /** As PostgreSQL writes it: a JavaScript date has no microseconds. */
  readonly at: string;
  readonly key: string;
}

export const cursorText = ({ at, key }: Cursor): string => Buffer.from(`${at} ${key}`).toString('base64url');

const form = /^(?<at>\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) (?<key>[\w.:-]{1,200})$/;
/** Throws a problem for what is no cursor. */
export const readCursor = (text: string): Cursor => {
  const { at, key } = form.exec(Buffer.from(text, 'base64url').toString('utf8'))?.groups ?? {};
  if (at === undefined || key === undefined || Number.isNaN(Date.parse(at))) throw new Problem('InvalidValue', { field: 'after' });
  return { at, key };
};
