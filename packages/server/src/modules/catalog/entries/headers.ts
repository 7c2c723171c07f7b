/** Rules of the catalog's headers. */
import { Problem } from '#kernel/problem.ts';

/** The `Mac-…-Id` header repeats the id of the path, in any case. */
export const requireHeader = ({ header, id }: { readonly header: string; readonly id: string }, value: string): void => {
  if (value.toUpperCase() !== id.toUpperCase()) throw new Problem('HeaderMismatch', { field: header });
};

/** A `Mac-Request-Id` of this form names a request to amend. Other values are keys for repeats. */
const requestId = /^REQ-\d+$/i;
export const amendedBy = (value: string | undefined): string | undefined =>
  value !== undefined && requestId.test(value) ? value : undefined;
