import { afterEach, expect, test, vi } from 'vitest';
import { features, loadFeatures } from './features.ts';

const source = { apiHost: 'https://slipway.invalid', clientKey: 'sdk-test', attributes: { id: 'ingrid', teams: ['cranes'] } };
const configured = vi.hoisted(() => vi.fn<(settings: unknown) => void>());
vi.mock(import('@growthbook/growthbook'), async (original) => {
  const library = await original();
  return {
    ...library,
    configureCache: (settings) => {
      configured(settings);
      library.configureCache(settings);
    },
  };
});
afterEach(() => vi.unstubAllGlobals());

test('a missing client key is an error, and the defaults stay', async () => {
  await expect(loadFeatures({ ...source, clientKey: '' })).rejects.toThrow('client key');
  expect(features.get()['console-feedback']).toBe(true);
});

test('the defaults stay if the flags cannot be loaded', async () => {
  const { setPolyfills } = await import('@growthbook/growthbook');
  setPolyfills({ fetch: () => Promise.reject(new Error('offline')) });
  await expect(loadFeatures(source)).rejects.toThrow('offline');
  expect(features.get()['console-feedback']).toBe(true);
});

test('takes values of loaded flags, which it caches as specified', async () => {
  const { setPolyfills } = await import('@growthbook/growthbook');
  const payload = {
    features: { 'console-feedback': { defaultValue: true, rules: [{ condition: { teams: { $in: ['cranes'] } }, force: false }] } },
  };
  setPolyfills({ fetch: () => Promise.resolve(Response.json(payload)) });
  const stop = await loadFeatures({ ...source, clientKey: 'sdk-other' });
  expect(features.get()['console-feedback']).toBe(false);
  expect(configured).toHaveBeenLastCalledWith({ staleTTL: 60_000, maxEntries: 10, idleStreamInterval: 20_000 });
  stop();
});
