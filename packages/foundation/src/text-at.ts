/** Reads a text from untrusted values: claims of a token, parameters of a request, a package's file. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';

/** Undefined if the key is missing or not a text. */
export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};
