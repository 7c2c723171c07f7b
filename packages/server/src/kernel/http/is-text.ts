/** Checks whether PostgreSQL can store a text. JSON allows more. */
import { Readable } from 'node:stream';

/** Returns the path of the first text, at any depth, that contains a NUL or an unpaired surrogate. Undefined if there is none. */
export const textFault = (value: unknown, path = ''): string | undefined => {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined;
  // Bytes are not text, read or not.
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof Readable) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(key, path) ?? textFault(inner, path === '' ? key : `${path}.${key}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

export const isText = (value: unknown): boolean => textFault(value) === undefined;
