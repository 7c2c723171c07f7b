/** Which overlay is open, palette or shortcut sheet: one at a time, opened by keys, header and menus. */
import { storedValue } from '#kit/state/stored.ts';
import { createStore } from '#kit/state/store.ts';

export type Overlay = 'palette' | 'shortcuts';
export const overlay = createStore<Overlay | undefined>(undefined);

let openedAt = '';
const open = (which: Overlay): void => {
  openedAt = location.pathname;
  overlay.set(which);
};
export const openPalette = (): void => open('palette');
export const openShortcuts = (): void => open('shortcuts');
export const closeOverlay = (): void => overlay.set(undefined);
/** Closes the overlay after a navigation such as Back. The URL changes first: an overlay opened since belongs to the new page. */
export const closeElsewhere = (): void => {
  if (openedAt !== location.pathname) closeOverlay();
};

/** Single-key shortcuts can be turned off (WCAG 2.1.4): speech input and a resting hand trigger them by accident. */
export const hasSingleKeys = storedValue<boolean>('single-key-shortcuts', (raw) => raw !== false);
