// The chosen theme, stored in localStorage under `theme` and shared by all tabs. `theme.js` sets it before the first paint.
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'theme';
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const listeners = new Set<() => void>();
/** The choice if storage is blocked. */
let fallback: Theme = 'system';

function read(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return fallback;
  }
}

function apply(): void {
  const theme = read();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  for (const listener of listeners) listener();
}

export function setTheme(theme: Theme): void {
  fallback = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Private windows may block storage; the choice then lasts as long as the page.
  }
  apply();
}

function onStorage(event: StorageEvent): void {
  if (event.key === KEY || event.key === null) apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', onStorage);
  };
}

/** Returns the choice, a setter, and the next theme for a button that cycles. */
export function useTheme(): { theme: Theme; setTheme: (theme: Theme) => void; next: Theme } {
  const theme = useSyncExternalStore(subscribe, read);
  return { theme, setTheme, next: NEXT[theme] };
}
