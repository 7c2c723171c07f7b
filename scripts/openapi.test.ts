/** The API's description passes a linter's rules, so that other people's generators and tools can read it. */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';

const source = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8');

const complaints = async (text: string): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
  // No path is both: {env} is `development` or `production`, never `flags` or `flag-groups`.
  const isDistinct = ({ ruleId, message }: (typeof problems)[number]): boolean =>
    ruleId === 'no-ambiguous-paths' && /\/\{app\}\/flag(?:s|-groups)\//.test(message) && message.includes('/{app}/{env}/');
  return problems
    .filter((problem) => !isDistinct(problem))
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
};

test('docs/openapi.json is without a complaint', async () => {
  expect(await complaints(source)).toEqual([]);
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
