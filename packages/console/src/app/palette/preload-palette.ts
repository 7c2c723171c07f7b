/** Loads the palette's code while its button is hovered. A separate module, because the palette imports the state. */
export const preloadPalette = (): void => void import('./CommandPalette.tsx').catch(() => undefined);
