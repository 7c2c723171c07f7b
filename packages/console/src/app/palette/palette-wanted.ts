/** Resolves when the shortcuts and the palette should load: the page is ready, or the user opens the palette earlier. */
import { pageReady } from '#kit/later/page-ready.ts';
import { isPaletteKey } from './keys.ts';
import { openPalette, overlay } from './palette-state.ts';

export const paletteWanted = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = new AbortController();
    const finish = (): void => {
      stop.abort();
      unsubscribe();
      resolve();
    };
    const unsubscribe = overlay.subscribe(finish);
    const onKey = (event: KeyboardEvent): void => {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      openPalette();
    };
    addEventListener('keydown', onKey, { signal: stop.signal });
    void pageReady.then(finish);
  });
