/** Tests which differences between live and wanted objects count as changes by others. */
import { expect, test } from 'vitest';
import { differences, quantityOf } from './covers.ts';

test.each<[string, object, object, string[]]>([
  ['defaults of the API server', { replicas: 1, paused: false }, { replicas: 1 }, []],
  ['another spelling of a quantity', { cpu: '1', memory: '1Gi' }, { cpu: '1000m', memory: '1024Mi' }, []],
  ['values that mean nothing', {}, { initialDelaySeconds: 0, podSelector: {}, from: [] }, []],
  ['a changed number', { spec: { replicas: 3 } }, { spec: { replicas: 1 } }, ['spec.replicas']],
  ['an added container', { containers: [{ name: 'app' }, { name: 'other' }] }, { containers: [{ name: 'app' }] }, ['containers']],
  ['a value in a list', { containers: [{ image: 'b' }] }, { containers: [{ image: 'a' }] }, ['containers[0].image']],
  ['a removed label', { labels: {} }, { labels: { a: 'b' } }, ['labels.a']],
])('%s', (_name, live, wanted, paths) => {
  expect(differences(live, wanted)).toEqual(paths);
});

test('names only a few of many differences', () => {
  const wanted = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, 'wanted']));
  expect(differences({}, wanted)).toHaveLength(5);
});

test('reads quantities', () => {
  expect([quantityOf('250m'), quantityOf('64Mi'), quantityOf('1.5'), quantityOf('2k')]).toEqual([0.25, 64 * 2 ** 20, 1.5, 2000]);
  expect([quantityOf('much'), quantityOf('1Xi'), quantityOf('')]).toEqual([undefined, undefined, undefined]);
});
