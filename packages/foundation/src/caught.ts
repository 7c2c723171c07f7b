/** Reads properties of caught errors. Anything can be thrown, so each property is checked first. */

/** Returns the code that Node, PostgreSQL and most libraries set on errors: `ENOENT`, `40001`. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether the error has one of the codes. */
export const hasCode = (error: unknown, ...codes: string[]): boolean => codes.includes(errorCode(error) ?? '');

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
