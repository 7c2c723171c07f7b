import { act, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, test } from 'vitest';
import { measuredBy, type Measure } from './figures.ts';
import { FiguresTable } from './FiguresTable.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const start = Date.parse('2026-11-20T12:00:00.000Z') / 1000;
interface Point {
  readonly at: string;
  readonly requests: number | null;
}
const measures: readonly Measure<'requests', Point, undefined>[] = [
  {
    key: 'requests',
    title: 'Requests',
    unit: 'per min',
    read: ({ requests }, step) => (requests === null ? null : (requests * 60) / step),
    atLeast: 4,
  },
];
const point = (step: number, requests: number | null): Point => ({ at: new Date((start + step * 15) * 1000).toISOString(), requests });
const shown = measuredBy(measures, {
  points: [point(0, 1), point(1, 2), point(2, null), point(3, 4)],
  stepSeconds: 15,
  limits: undefined,
});

function Screen({ from, to }: { from: number; to: number }) {
  const [isOldestFirst, setOldestFirst] = useState(false);
  const markers = [{ at: start + 20, label: 'berth-2, push', href: '/berth-2' }];
  const order = { isOldestFirst, onOrder: setOldestFirst };
  return <FiguresTable measures={measures} shown={shown} span={{ from, to }} markers={markers} {...order} />;
}

let root: Root;
afterEach(() => act(async () => root.unmount()));
const open = async (from: number, to: number): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<Screen from={from} to={to} />));
};
const column = (index: number): string[] =>
  [...document.querySelectorAll('tbody tr')].map((row) => row.querySelectorAll('td')[index]?.textContent ?? '');

test('the newest comes first, a press on Time turns it round, and what was not measured is a dash', async () => {
  await open(start, start + 60);
  expect(column(1)).toEqual(['16', '–', '8', '4']);
  await act(async () => document.querySelector<HTMLButtonElement>('th button')?.click());
  expect(column(1)).toEqual(['4', '8', '–', '16']);
  expect(document.querySelector('th')?.getAttribute('aria-sort')).toBe('ascending');
});

test('a deploy stands in the step that it came in, and a zoom leaves the rest out', async () => {
  await open(start + 10, start + 35);
  expect(column(1)).toEqual(['–', '8']);
  expect(column(2)).toEqual(['', 'berth-2, push']);
});
