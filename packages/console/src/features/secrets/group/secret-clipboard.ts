/**
 * Copies a value and clears the clipboard 30 seconds later, without keeping the value. Another copy on this page cancels the clearing. In a
 * background tab, browsers block clipboard writes, so clearing waits until the page is visible.
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

/** Returns false if the browser refuses: no secure origin, or no permission. */
export const copySecret = async (value: string, afterMs = clearAfterMs): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(value);
  } catch {
    return false;
  }
  emptyLater(afterMs);
  return true;
};
