import { afterEach, expect, test, vi } from 'vitest';
import { features, loadFeatures } from './features.ts';

const source = { apiHost: 'https://slipway.invalid', clientKey: 'sdk-test', attributes: { id: 'ingrid', teams: ['cranes'] } };
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

test('takes values of loaded flags', async () => {
  const { setPolyfills } = await import('@growthbook/growthbook');
  const payload = {
    features: { 'console-feedback': { defaultValue: true, rules: [{ condition: { teams: { $in: ['cranes'] } }, force: false }] } },
  };
  setPolyfills({ fetch: () => Promise.resolve(Response.json(payload)) });
  const stop = await loadFeatures({ ...source, clientKey: 'sdk-other' });
  expect(features.get()['console-feedback']).toBe(false);
  stop();
});
