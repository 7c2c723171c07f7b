/** What of the palette and the sheet of shortcuts is open: one at a time, opened from keys, header and menus alike. */
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
/** After Back, say. The address changes before the page does: what was opened in between belongs to the new page. */
export const closeElsewhere = (): void => {
  if (openedAt !== location.pathname) closeOverlay();
};

/** Keys without a modifier can be switched off (WCAG 2.1.4): speech input and a resting hand press them by accident. */
export const hasSingleKeys = storedValue<boolean>('single-key-shortcuts', (raw) => raw !== false);
