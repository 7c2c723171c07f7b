/** Keys that make a repeated write harmless: the server does the same key once and answers the same result again. */

/** Random even where the page has no secure context and `randomUUID` is missing. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * The key of one form or button. After a network failure nobody knows whether the write arrived, so the same input keeps its key;
 * any answer, or other input, brings a new one.
 */
export const createKeyKeeper = (): { keyFor: (input: unknown) => string; settle: () => void } => {
  let kept: { key: string; fingerprint: string } | undefined;
  return {
    keyFor: (input) => {
      const fingerprint = JSON.stringify(input);
      if (kept?.fingerprint !== fingerprint) kept = { key: newKey(), fingerprint };
      return kept.key;
    },
    settle: () => {
      kept = undefined;
    },
  };
};
