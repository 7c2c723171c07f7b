/** Keys that make repeated writes harmless: the server executes each key once and repeats the same answer. */

/** Works without a secure context too, where `randomUUID` is missing. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Holds the key of one form or button. After a network failure the write may have arrived, so the same input keeps its key.
 * Any answer, or different input, gets a new key.
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
