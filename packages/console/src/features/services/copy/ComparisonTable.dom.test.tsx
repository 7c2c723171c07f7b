import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { act, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { carryOf, withTicks, type Ticks } from './comparison.ts';
import { ComparisonTable } from './ComparisonTable.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const settings = () => ({ githubRepositoryName: null, active: true, spec: newServiceSpec('localhost/berth/berth') });
const source = settings();
source.spec.template.envVars = [
  { name: 'LOG_LEVEL', source: 'STATIC', value: 'debug' },
  { name: 'API_KEY', source: 'STATIC', value: 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB' },
  { name: 'DB', source: 'SECRET_KEY', secretGroup: 'berth-db', secretKey: 'PASSWORD' },
];
const changes = serviceChanges(settings(), source);
const plan = { changes, warnings: [{ code: 'ProductionChange', context: {}, field: changes[0]?.path }] } as unknown as Plan;
const refusedPath = changes[1]?.path ?? '';

function Screen() {
  const [own, setOwn] = useState<Ticks>(new Map());
  return (
    <>
      <output>{JSON.stringify(carryOf(changes, own))}</output>
      <ComparisonTable
        place={{ app: 'berth', env: 'development', service: 'berth' }}
        target={{ environment: 'production', isNew: true }}
        plan={plan}
        ticks={own}
        onTick={(paths, value) => setOwn((before) => withTicks(before, paths, value))}
        groups={[]}
        refused={new Map([[refusedPath, { field: refusedPath, code: 'DuplicateEnvVar', context: { name: 'API_KEY' } }]])}
      />
    </>
  );
}

let root: Root;
beforeEach(async () => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<Screen />));
});
afterEach(() => act(async () => root.unmount()));

const carried = (): unknown => JSON.parse(document.querySelector('output')?.textContent ?? '');
const row = (text: string): HTMLElement =>
  [...document.querySelectorAll('tr')].find((element) => element.textContent.includes(text)) as HTMLElement;
const box = (text: string): HTMLInputElement => row(text).querySelector('input') as HTMLInputElement;

test('a section is ticked as its lines are, and ticks them', async () => {
  expect(box('Environment variables').checked).toBe(true);
  await act(async () => box('LOG_LEVEL').click());
  expect(box('Environment variables').checked).toBe(false);
  expect(box('Environment variables').indeterminate).toBe(true);
  expect(carried()).toEqual(changes.slice(1).map(({ path }) => path));
  await act(async () => box('Environment variables').click());
  expect(box('LOG_LEVEL').checked).toBe(true);
  await act(async () => box('Environment variables').click());
  expect(carried()).toEqual([]);
  expect(row('LOG_LEVEL').textContent).toContain('Left out');
});

test('a secret that the target lacks leads to the page that copies it, until its line is left out', async () => {
  expect(row('berth-db').textContent).toContain('production has no secret group berth-db');
  expect(row('berth-db').querySelector('a')?.getAttribute('href')).toBe('/app/berth/development/secret-group/berth-db/copy');
  await act(async () => box('berth-db').click());
  expect(row('berth-db').textContent).not.toContain('has no secret group');
});

test('warnings and refusals stand with their lines; a value that looks like a secret is not shown', () => {
  expect(row('LOG_LEVEL').textContent).toContain('This changes production.');
  expect(row('API_KEY').querySelector('[role=alert]')?.textContent).not.toBe('');
  expect(document.body.textContent).not.toContain('ghp_');
});
