// Popups (tooltips, messages, menus) load after the first screen, because nobody needs them before.
const loaders: (() => Promise<unknown>)[] = [];

/** Loads once. A failed load is retried on the next call. */
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

/** Preloads all popups. Call it when the page is rendered and the browser is idle. */
export function preloadPopups(): void {
  for (const load of loaders) load().catch(() => undefined);
}
