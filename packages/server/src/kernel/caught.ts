/** What a caught error says of itself. Anything can be thrown, so each is looked at and not believed. */

/** The code that Node, PostgreSQL and most libraries give their errors: `ENOENT`, `40001`. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether it carries one of the codes. */
export const hasCode = (error: unknown, ...codes: string[]): boolean => codes.includes(errorCode(error) ?? '');

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
