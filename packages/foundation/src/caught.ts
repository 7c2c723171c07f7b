/** Reads properties of caught errors. Anything can be thrown, so each property is checked first. */

/** Returns the code that Node, PostgreSQL and most libraries set on errors: `ENOENT`, `40001`. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether the error has one of the codes. */
export const hasCode = (error: unknown, ...codes: string[]): boolean => codes.includes(errorCode(error) ?? '');

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Message of the innermost cause, which says most, without a period. */
export const causeOf = (error: unknown): string => {
  const inner = error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined;
  return inner === undefined ? errorMessage(error).replace(/\.$/, '') : causeOf(inner);
};
