/**
 * Copies a value and empties the clipboard 30 seconds later. The value itself is not kept: what was copied elsewhere on this page
 * meanwhile calls the emptying off, and where the page lies in the background (no browser lets it write then) it waits for its return.
 */
export const clearAfterMs = 30_000;

let callOff: (() => void) | undefined;

const emptyLater = (afterMs: number): void => {
  callOff?.();
  const stop = new AbortController();
  const { signal } = stop;
  const empty = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText('');
      stop.abort();
    } catch {
      addEventListener('focus', () => void empty(), { signal, once: true });
    }
  };
  const timer = setTimeout(() => void empty(), afterMs);
  signal.addEventListener('abort', () => clearTimeout(timer));
  for (const other of ['copy', 'cut']) document.addEventListener(other, () => stop.abort(), { signal });
  callOff = () => stop.abort();
};

/** False where the browser refuses: without a secure origin, or without the right. */
export const copySecret = async (value: string, afterMs = clearAfterMs): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(value);
  } catch {
    return false;
  }
  emptyLater(afterMs);
  return true;
};
