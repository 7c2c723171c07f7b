/** A text among values that somebody else made: claims of a token, parameters of a request, a package's file. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';

/** Undefined where there is none, and for what is no text. */
export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};
