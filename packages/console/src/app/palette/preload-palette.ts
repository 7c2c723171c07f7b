/** Loads the palette while the pointer rests on its button. Apart from the state: the palette itself reads that. */
export const preloadPalette = (): void => void import('./CommandPalette.tsx').catch(() => undefined);
