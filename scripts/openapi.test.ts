/** The API's description passes a linter's rules, so that other people's generators and tools can read it. */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { environmentOf } from '../packages/contract/src/kernel/fields.ts';

const source = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8');

const complaints = async (text: string): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  return problems
    .filter(({ ruleId, message }) => ruleId !== 'no-ambiguous-paths' || !areToldApart(message))
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
};
/**
 * Returns whether two paths that the linter takes for ambiguous differ in an environment: `{env}` has two values, so no address with another
 * word there means both. The router prefers the word.
 */
const areToldApart = (message: string): boolean => {
  const [left = [], right = []] = [...message.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path.split('/'));
  return left.some((word, at) => {
    const other = right[at] ?? '';
    return (word === '{env}' && isNoEnvironment(other)) || (other === '{env}' && isNoEnvironment(word));
  });
};
const isNoEnvironment = (word: string): boolean => !word.startsWith('{') && environmentOf(word) === undefined;

test('docs/openapi.json is without a complaint', async () => {
  expect(await complaints(source)).toEqual([]);
});

test('paths are ambiguous, unless one has a word where the other has an environment', async () => {
  const { paths, ...rest } = JSON.parse(source) as { paths: Record<string, Record<string, unknown>> };
  const [operations] = Object.values(paths);
  const ambiguous = async (...pair: readonly string[]): Promise<boolean> => {
    const text = JSON.stringify({ ...rest, paths: Object.fromEntries(pair.map((path) => [path, operations])) });
    return (await complaints(text)).some((line) => line.startsWith('no-ambiguous-paths'));
  };
  expect(await ambiguous('/apps/{app}/{env}/services', '/apps/{app}/flags/{flag}')).toBe(false);
  expect(await ambiguous('/apps/{app}/{env}/services', '/apps/{app}/production/{flag}')).toBe(true);
  expect(await ambiguous('/apps/{app}/{service}/services', '/apps/{app}/flags/{flag}')).toBe(true);
});

test('a description with the usual faults is not', async () => {
  const { servers: _, ...rest } = JSON.parse(source) as { servers: unknown; info: object; components: { schemas: object } };
  const faulty = {
    ...rest,
    info: { ...rest.info, license: undefined },
    components: { ...rest.components, schemas: { ...rest.components.schemas, Unused: { type: 'object' } } },
  };
  const rules = (await complaints(JSON.stringify(faulty))).map((line) => line.split(':', 1)[0]);
  expect(rules).toEqual(expect.arrayContaining(['info-license', 'no-empty-servers', 'no-unused-components']));
});
