import { expect, test } from 'vitest';
import { snippetOf } from './faro-snippet.ts';

test('names the collector, and leaves sampling to it', () => {
  const snippet = snippetOf({ collectorUrl: 'https://slipway.test/collect/k', apiKey: 'a', name: 'plans', environment: 'production' });
  expect(snippet).toContain(`url: 'https://slipway.test/collect/k'`);
  expect(snippet).not.toMatch(/sampl/i);
});
