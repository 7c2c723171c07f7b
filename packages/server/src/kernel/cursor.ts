/** Marks where a page of a growing list ended: the timestamp and the key of its last row. */
import { Problem } from '#kernel/problem.ts';

export interface Cursor {
  /** In PostgreSQL's format, because a JavaScript date has no microseconds. */
  readonly at: string;
  readonly key: string;
}

export const cursorText = ({ at, key }: Cursor): string => Buffer.from(`${at} ${key}`).toString('base64url');

const form = /^(?<at>\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) (?<key>[\w.:-]{1,200})$/;
/** Throws a problem for invalid cursors. */
export const readCursor = (text: string): Cursor => {
  const { at, key } = form.exec(Buffer.from(text, 'base64url').toString('utf8'))?.groups ?? {};
  if (at === undefined || key === undefined || Number.isNaN(Date.parse(at))) throw new Problem('InvalidValue', { field: 'after' });
  return { at, key };
};
