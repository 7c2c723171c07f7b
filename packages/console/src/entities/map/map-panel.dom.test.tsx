/** The panel of a map: picture and table with the same content, the keyboard, and what is not shown. */
import { act } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { openPage } from '#testing/open-page.tsx';
import { MapPanel, type MapPanelProps } from './MapPanel.tsx';
import { edge, mapOf, node } from './map.fixture.ts';

let isNarrow = false;
beforeEach(() => {
  isNarrow = false;
  vi.stubGlobal('matchMedia', () => ({ matches: isNarrow, addEventListener: () => {}, removeEventListener: () => {} }));
});

const berth = mapOf(
  [node('service', 'api', 'FAILING'), node('topic', 'plans', 'READY'), node('app', 'clearance', 'HEALTHY', 'clearance')],
  [
    edge('service:berth/api', 'topic:berth/plans', 'WRITES', { through: ['writer'] }),
    edge('topic:berth/plans', 'app:clearance', 'READS', { through: ['desk'], isRequested: true }),
  ],
);
const open = (query: Partial<MapPanelProps['query']>, search = '') => {
  const props = {
    title: 'Map of berth',
    app: 'berth',
    team: 'cranes',
    env: 'production',
    empty: { title: 'Nothing yet', text: 'It shows services.' },
  };
  return openPage('/', () => <MapPanel {...props} query={{ attempt: 0, mutate: async () => undefined, ...query }} />, `/${search}`);
};

test('the picture links every node, and arrow keys follow lines', async () => {
  const text = await open({ data: berth });
  expect(text).toContain('3 items, 1 needs a look');
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-box]')];
  expect(links.map((link) => link.getAttribute('href'))).toEqual([
    '/app/berth/production/service/api',
    '/app/berth/production/events-processing/topics/plans',
    '/app/clearance/production/map',
  ]);
  const press = (key: string) =>
    act(async () => document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })));
  await act(async () => links[0]?.focus());
  await press('ArrowRight');
  expect(document.activeElement).toBe(links[1]);
  expect(document.querySelectorAll('path[data-look="active"][d^="M"]').length).toBeGreaterThan(1);
  await press('ArrowLeft');
  expect(document.activeElement).toBe(links[0]);
});

test('the table says on what each node depends and who uses it, the failing one first', async () => {
  await open({ data: berth }, '?view=table');
  const rows = [...document.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent));
  expect(rows).toEqual([
    ['api', 'Service', 'Failing', 'writes plans (through writer)', 'nobody', 'Cranes'],
    ['clearance', 'App', 'Healthy', 'reads plans (through desk; requested)', 'nobody', 'Customs'],
    ['plans', 'Topic', 'Ready', 'nothing', 'written by api (through writer)read by clearance (through desk; requested)', 'Cranes'],
  ]);
});

test('phones show the table, unless the user chose the picture', async () => {
  isNarrow = true;
  await open({ data: berth });
  expect(document.querySelector('table')).not.toBeNull();
  await open({ data: berth }, '?view=picture');
  expect(document.querySelector('table')).toBeNull();
});

test('an empty map teaches, a failed one offers to try again, and a cut one says so', async () => {
  expect(await open({ data: mapOf([], []) })).toContain('Nothing yet');
  expect(await open({ error: new Error('gone') as never })).toContain('The map could not be loaded');
  expect(await open({ data: { ...berth, cutKinds: ['secretGroup'], areEdgesCut: true } })).toContain(
    'Only 150 of the kind secret group are shown, the most urgent first. Some connections are missing: the map has more than 2,000.',
  );
});
