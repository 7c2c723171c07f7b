// Popups (tooltips, messages, menus) come after the first screen: nobody opens one before there is something to see.
const loaders: (() => Promise<unknown>)[] = [];

/** Loads once; a failed load is tried again with the next call. */
export function popupLoader<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const once = (): Promise<T> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  loaders.push(once);
  return once;
}

/** Call it when the page stands and the browser is idle. */
export function preloadPopups(): void {
  for (const load of loaders) load().catch(() => undefined);
}
