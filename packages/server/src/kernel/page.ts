/** Pages of results in the specification's shape. */
import type { Page } from '@slipway/contract/fields.ts';

export const pageOf = <T>(content: T[], total: number, { page, size }: { page: number; size: number }): Page<T> => {
  const totalPages = Math.max(1, Math.ceil(total / size));
  return { number: page, size, totalPages, totalElements: total, first: page === 0, last: page >= totalPages - 1, content };
};

/** The pattern of `ilike` for a text inside another: the text's own signs stand for themselves. */
export const likeOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** `-name` → descending by the column allowed under `name`; the fallback for anything that is not in the list. */
export const orderOf = <C extends string>(
  sort: string | undefined,
  columns: Readonly<Record<string, C>>,
  fallback: { column: C; direction: 'asc' | 'desc' },
): { column: C; direction: 'asc' | 'desc' } => {
  const name = sort?.replace(/^-/, '') ?? '';
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  return column === undefined ? fallback : { column, direction: sort?.startsWith('-') ? 'desc' : 'asc' };
};
