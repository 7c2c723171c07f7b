import { expect, test } from 'vitest';
import { boxHeight, layoutMap, type MapLayout } from './map-layout.ts';
import { edge, mapOf, node } from './map.fixture.ts';

const columnsOf = ({ boxes }: MapLayout): string[][] =>
  [...Map.groupBy(boxes, ({ x }) => x)].toSorted(([a], [b]) => a - b).map(([, column]) => column.map(({ key }) => key));

const berth = mapOf(
  [
    node('service', 'api', 'FAILING'),
    node('service', 'web', 'HEALTHY'),
    node('topic', 'plans', 'READY'),
    node('topic', 'releases', null, 'clearance'),
    node('app', 'clearance', 'HEALTHY', 'clearance'),
    node('database', 'plans', 'READY'),
  ],
  [
    edge('app:clearance', 'topic:clearance/releases', 'OWNS'),
    edge('topic:clearance/releases', 'service:berth/api', 'READS'),
    edge('service:berth/api', 'topic:berth/plans', 'WRITES'),
    edge('topic:berth/plans', 'app:clearance', 'READS'),
    edge('service:berth/web', 'service:berth/api', 'CALLS'),
    edge('topic:berth/plans', 'service:berth/web', 'READS'),
  ],
);

test('draws the map of an app from writers to readers, and an app on both sides twice', () => {
  const layout = layoutMap(berth, 'berth');
  expect(columnsOf(layout)).toEqual([
    ['app:clearance owner'],
    ['topic:clearance/releases'],
    ['service:berth/api', 'service:berth/web'],
    ['topic:berth/plans', 'database:berth/plans'],
    ['app:clearance reader'],
  ]);
  expect(layout.heads.map(({ text }) => text)).toEqual(['Other apps own', 'Topics read', 'Services', 'Topics', 'Databases', 'Other apps']);
  expect(layout.lines).toHaveLength(6);
  expect(layout.lines.filter(({ needsLook }) => needsLook)).toHaveLength(3);
  expect(
    layoutMap({ ...berth, nodes: berth.nodes.toReversed(), edges: berth.edges.toReversed() }, 'berth').boxes.map(({ key, y }) => [key, y]),
  ).toEqual(expect.arrayContaining(layout.boxes.map(({ key, y }) => [key, y])));
});

test('lines of an app’s map lead to a neighbor column only', () => {
  const both = mapOf(
    [...berth.nodes, node('topic', 'asks', null, 'clearance'), { ...node('outside', 'outside', null), app: null }],
    [
      ...berth.edges,
      edge('app:clearance', 'topic:clearance/asks', 'OWNS'),
      edge('service:berth/api', 'topic:clearance/asks', 'WRITES'),
      edge('app:clearance', 'topic:berth/plans', 'WRITES'),
      edge('outside:berth/outside', 'service:berth/web', 'CALLS'),
    ],
  );
  const { boxes, lines } = layoutMap(both, 'berth');
  const at = new Map(boxes.map(({ key, x }) => [key, x]));
  const xs = [...new Set(at.values())].toSorted((a, b) => a - b);
  expect(lines).toHaveLength(10);
  for (const { from, to } of lines) expect(Math.abs(xs.indexOf(at.get(from) ?? 0) - xs.indexOf(at.get(to) ?? 0))).toBeLessThan(2);
});

test('no two boxes overlap, and all are within the picture', () => {
  const { boxes, height, width } = layoutMap(berth, 'berth');
  for (const a of boxes) {
    expect(a.y + boxHeight < height && a.x < width).toBe(true);
    expect(boxes.filter((b) => b !== a && b.x === a.x && Math.abs(a.y - b.y) < boxHeight)).toEqual([]);
  }
});

test('draws the map of a team by the longest path, also with a cycle', () => {
  const apps = ['a', 'b', 'c', 'd'].map((name) => node('app', name, 'HEALTHY', name));
  const chain = mapOf(apps, [
    edge('app:a', 'app:b', 'READS'),
    edge('app:b', 'app:c', 'READS'),
    edge('app:a', 'app:c', 'READS'),
    edge('app:c', 'app:a', 'READS'),
  ]);
  const columns = columnsOf(layoutMap(chain, undefined));
  expect(columns.flat().toSorted()).toEqual(['app:a', 'app:b', 'app:c', 'app:d']);
  const line = mapOf(apps, chain.edges.slice(0, 3));
  expect(columnsOf(layoutMap(line, undefined))).toEqual([['app:a', 'app:d'], ['app:b'], ['app:c']]);
});

test('folds well nodes of a large group, and keeps the failing one with its lines', () => {
  const services = Array.from({ length: 100 }, (_, index) => node('service', `s${index}`, index === 40 ? 'FAILING' : 'HEALTHY'));
  const map = mapOf(
    [...services, node('database', 'plans', 'READY')],
    services.map(({ id }) => edge(id, 'database:berth/plans', 'QUERIES')),
  );
  const layout = layoutMap(map, 'berth');
  expect(layout.boxes.map(({ key, folded }) => [key, folded])).toEqual([
    ['service:berth/s40', 0],
    ['2Servicesfold', 99],
    ['database:berth/plans', 0],
  ]);
  expect(layout.lines.map(({ from }) => from)).toEqual(['2Servicesfold', 'service:berth/s40']);
});
