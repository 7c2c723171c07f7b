/** Escapes non-ASCII characters in a request path, at which Node throws. Keeps existing escapes. */
export const asciiPath = (path: string): string => path.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
