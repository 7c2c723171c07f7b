/** A local storage key as a store: parsed once, written through, and in sync with the browser's other tabs. */
import type { Store } from './store.ts';

const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage can be blocked; the value is then kept until the page closes.
    return null;
  }
};

const write = (key: string, text: string | null): void => {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // See read().
  }
};

/** `parse` gets the stored value, which may be invalid, and returns the value to use. Setting undefined removes the key. */
export const storedValue = <T>(key: string, parse: (raw: unknown) => T): Store<T> => {
  const listeners = new Set<() => void>();
  let text = read(key);
  const parsed = (): T => {
    try {
      return parse(text === null ? undefined : JSON.parse(text));
    } catch {
      return parse(text);
    }
  };
  let current = parsed();
  const take = (next: string | null): void => {
    if (next === text) return;
    text = next;
    current = parsed();
    for (const listener of listeners) listener();
  };
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key || event.key === null) take(read(key));
  };
  return {
    get: () => current,
    set: (value) => {
      const next = value === undefined ? null : JSON.stringify(value);
      write(key, next);
      take(next);
    },
    subscribe: (listener) => {
      if (listeners.size === 0) addEventListener('storage', onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) removeEventListener('storage', onStorage);
      };
    },
  };
};
