/** What of the palette and the sheet of shortcuts is open: one at a time, opened from keys, header and menus alike. */
import { storedValue } from '#lib/stored.ts';
import { createStore } from '#lib/store.ts';

export type Overlay = 'palette' | 'shortcuts';
export const overlay = createStore<Overlay | undefined>(undefined);

export const openPalette = (): void => overlay.set('palette');
export const openShortcuts = (): void => overlay.set('shortcuts');
export const closeOverlay = (): void => overlay.set(undefined);

/** Keys without a modifier can be switched off (WCAG 2.1.4): speech input and a resting hand press them by accident. */
export const hasSingleKeys = storedValue<boolean>('single-key-shortcuts', (raw) => raw !== false);
