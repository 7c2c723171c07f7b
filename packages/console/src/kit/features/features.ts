/** Features of the console itself that a flag can turn on and off. A default stays until the flags are loaded, and if they cannot be. */
import { createStore, useStore } from '#kit/state/store.ts';

const defaults = {
  /** The button that opens the feedback form. */
  'console-feedback': true,
};
export type Feature = keyof typeof defaults;
type Features = Readonly<Record<Feature, boolean>>;

export const features = createStore<Features>(defaults);
export const useFeature = (name: Feature): boolean => useStore(features)[name];

export interface FeatureSource {
  readonly clientKey: string;
  readonly apiHost: string;
  readonly attributes: { readonly id: string; readonly teams: readonly string[] };
}

/** Loads the flags and follows their changes. Resolves to a function that stops this. */
export const loadFeatures = async ({ clientKey, apiHost, attributes }: FeatureSource): Promise<() => void> => {
  if (clientKey === '') throw new Error('The client key of the feature flags is missing');
  const [{ GrowthBook, configureCache }, { noteFlagUsage }] = await Promise.all([
    import('@growthbook/growthbook'),
    import('./flag-usage.ts'),
  ]);
  // Specification §9.
  configureCache({ staleTTL: 60_000, maxEntries: 10, idleStreamInterval: 20_000 });
  const growthbook = new GrowthBook({ apiHost, clientKey, attributes, onFeatureUsage: (flag, { value }) => noteFlagUsage(flag, value) });
  const show = (): void => {
    const names = Object.keys(defaults) as Feature[];
    features.set(Object.fromEntries(names.map((name) => [name, growthbook.getFeatureValue<boolean>(name, defaults[name])])) as Features);
  };
  growthbook.setRenderer(show);
  const { success, error } = await growthbook.init({ streaming: true, timeout: 10_000 });
  if (!success) {
    growthbook.destroy();
    throw error ?? new Error('No answer');
  }
  show();
  return () => growthbook.destroy();
};
