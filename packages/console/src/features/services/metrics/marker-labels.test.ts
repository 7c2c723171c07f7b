import { expect, test } from 'vitest';
import { markersOf } from './marker-labels.ts';

const place = { app: 'berth', env: 'production', service: 'berth' };
const at = '2026-11-20T12:00:00.000Z';

test('a mark names the revision, what it came by, and the first line of why', () => {
  const markers = [
    { at, revision: 'berth-3', type: 'PUSH', text: 'Snap arrivals\n\nto the tide window' },
    { at, revision: 'berth-4', type: 'ROLLBACK', text: 'timeouts' },
    { at, revision: 'berth-5', type: 'NEWS', text: null },
  ];
  expect(markersOf(place, markers).map(({ label }) => label)).toEqual([
    'berth-3, push: Snap arrivals',
    'berth-4, rollback: timeouts',
    'berth-5, news',
  ]);
  expect(markersOf(place, markers)[0]).toMatchObject({
    at: Date.parse(at) / 1000,
    href: '/app/berth/production/service/berth/revision/berth-3',
  });
});
