/**
 * Lays out a map in columns from left to right. The same map always gets the same layout: columns follow from kinds (an app's map) or from
 * the longest path (a team's map), and rows from the neighbors to the left, then from names.
 */
import type { MapEdge, MapKind, MapNode, ResourceMap } from '@slipway/contract/map.ts';
import { needsLook } from './map-words.ts';

export const boxWidth = 196;
export const boxHeight = 46;
const columnStep = 260;
const rowStep = 58;
const headHeight = 34;
const padding = 16;
/** More nodes than this in a group are folded, except those that need a look. */
const mostInGroup = 12;

export interface Box {
  /** A node may have two boxes: an app that writes and reads. */
  readonly key: string;
  /** Undefined for the fold of a group. */
  readonly node: MapNode | undefined;
  /** Number of nodes that the fold contains. */
  readonly folded: number;
  readonly x: number;
  readonly y: number;
}
export interface Line {
  readonly key: string;
  readonly edge: MapEdge;
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly needsLook: boolean;
}
export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly heads: readonly { readonly key: string; readonly text: string; readonly x: number; readonly y: number }[];
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

interface Spot {
  readonly key: string;
  readonly node: MapNode;
  readonly column: number;
  readonly group: string;
}
/** Decides where the ends of an edge are drawn. */
interface Plan {
  readonly spots: readonly Spot[];
  readonly endsOf: (edge: MapEdge) => readonly [from: string, to: string];
}

const appGroups: Readonly<Record<Exclude<MapKind, 'app'>, readonly [column: number, group: string]>> = {
  outside: [1, 'Outside'],
  service: [2, 'Services'],
  account: [2, 'Accounts'],
  topic: [3, 'Topics'],
  database: [3, 'Databases'],
  secretGroup: [3, 'Secret groups'],
  schema: [4, 'Schemas'],
};
/** Boxes of another app: left of the topics that it owns, left of those that it writes, and right of those that it reads. */
const appSides = {
  owner: [0, 'Other apps own'],
  writer: [2, 'Other apps write'],
  reader: [4, 'Other apps'],
} as const;
const groupOrder = [
  'Other apps own',
  'Outside',
  'Topics read',
  'Other apps',
  ...Object.values(appGroups).map(([, group]) => group),
  'Other apps write',
];

/** Every edge leads to a neighbor column, so that no line passes below a box. Another app has a box on each side where it is needed. */
const appPlan = ({ nodes, edges }: ResourceMap, app: string): Plan => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sources = new Set(edges.map(({ from }) => from));
  const isRead = (id: string): boolean => byId.get(id)?.app !== app && sources.has(id);
  const sideKey = (id: string, side: keyof typeof appSides): string => (byId.get(id)?.kind === 'app' ? `${id} ${side}` : id);
  const endsOf: Plan['endsOf'] = ({ from, to, reason }) => {
    if (reason !== 'OWNS') return [sideKey(from, 'writer'), sideKey(to, 'reader')];
    return isRead(to) ? [sideKey(from, 'owner'), to] : [to, sideKey(from, 'reader')];
  };
  const keys = new Set(edges.flatMap(endsOf));
  const spots = nodes.flatMap((node): Spot[] => {
    const spot = ([column, group]: readonly [number, string], key = node.id): Spot => ({ key, node, column, group });
    if (node.kind === 'topic' && isRead(node.id)) return [spot([1, 'Topics read'])];
    if (node.kind !== 'app') return [spot(appGroups[node.kind])];
    return (['owner', 'writer', 'reader'] as const)
      .map((side) => spot(appSides[side], sideKey(node.id, side)))
      .filter(({ key }) => keys.has(key));
  });
  return { spots, endsOf };
};

/** A team's apps are as far to the right as the longest path that leads to them. An edge that closes a cycle does not count. */
const teamPlan = ({ nodes, edges }: ResourceMap): Plan => {
  const into = Map.groupBy(edges, ({ to }) => to);
  const depths = new Map<string, number>();
  const depthOf = (id: string, open: ReadonlySet<string>): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    const inside = new Set([...open, id]);
    const before = (into.get(id) ?? []).filter(({ from }) => !inside.has(from)).map(({ from }) => depthOf(from, inside) + 1);
    const depth = Math.max(0, ...before);
    depths.set(id, depth);
    return depth;
  };
  const spots = nodes
    .toSorted((a, b) => a.id.localeCompare(b.id))
    .map((node): Spot => ({ key: node.id, node, column: depthOf(node.id, new Set()), group: '' }));
  return { spots, endsOf: ({ from, to }) => [from, to] };
};

const byName = (a: Spot, b: Spot): number => a.node.name.localeCompare(b.node.name) || a.key.localeCompare(b.key);
const curve = (x1: number, y1: number, x2: number, y2: number, bend: number): string =>
  `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;

/** Leaves a box on the right and enters the next one on the left. Edges within a column turn back on the left side. */
const pathOf = (from: Box, to: Box): string => {
  const [y1, y2] = [from.y + boxHeight / 2, to.y + boxHeight / 2];
  if (from.x === to.x) return `M${from.x} ${y1}C${from.x - 40} ${y1} ${to.x - 40} ${y2} ${to.x} ${y2}`;
  if (from.x > to.x) return curve(from.x, y1, to.x + boxWidth, y2, -columnStep / 8);
  return curve(from.x + boxWidth, y1, to.x, y2, (columnStep - boxWidth) / 2);
};

/** `app` is undefined for the map of a team. */
export const layoutMap = (map: ResourceMap, app: string | undefined): MapLayout => {
  const { spots, endsOf } = app === undefined ? teamPlan(map) : appPlan(map, app);
  const ends = map.edges.map((edge) => ({ edge, ends: endsOf(edge) }));
  const leftOf = Map.groupBy(ends, ({ ends: [, to] }) => to);
  const boxOf = new Map<string, Box>();
  const boxes: Box[] = [];
  const heads: MapLayout['heads'][number][] = [];
  // A column without nodes takes no place.
  const columns = [...Map.groupBy(spots, ({ column }) => column)].toSorted(([a], [b]) => a - b);
  let height = 0;
  for (const [index, [column, inColumn]] of columns.entries()) {
    const x = padding + index * columnStep;
    let y = padding;
    const groups = [...Map.groupBy(inColumn, ({ group }) => group)].toSorted(([a], [b]) => groupOrder.indexOf(a) - groupOrder.indexOf(b));
    for (const [group, members] of groups) {
      if (group !== '') {
        heads.push({ key: `${column}${group}`, text: group, x, y });
        y += headHeight;
      }
      const place = ({ key }: Spot): number => {
        const ys = (leftOf.get(key) ?? []).flatMap(({ ends: [from] }) => boxOf.get(from)?.y ?? []);
        return ys.length === 0 ? Infinity : ys.reduce((sum, one) => sum + one, 0) / ys.length;
      };
      const places = new Map(members.map((spot) => [spot.key, place(spot)]));
      const at = ({ key }: Spot): number => places.get(key) ?? Infinity;
      const sorted = members.toSorted((a, b) => (at(a) === at(b) ? 0 : at(a) - at(b)) || byName(a, b));
      const isFolded = sorted.length > mostInGroup;
      const shown = isFolded ? sorted.filter(({ node }) => needsLook(node)) : sorted;
      const hidden = isFolded ? sorted.filter(({ node }) => !needsLook(node)) : [];
      for (const { key, node } of shown) {
        const box: Box = { key, node, folded: 0, x, y };
        boxes.push(box);
        boxOf.set(key, box);
        y += rowStep;
      }
      if (hidden.length > 0) {
        const fold: Box = { key: `${column}${group}fold`, node: undefined, folded: hidden.length, x, y };
        boxes.push(fold);
        for (const { key } of hidden) boxOf.set(key, fold);
        y += rowStep;
      }
    }
    height = Math.max(height, y);
  }
  const lines = new Map<string, Line>();
  for (const { edge, ends: pair } of ends) {
    const [from, to] = pair.map((key) => boxOf.get(key));
    if (!from || !to || from === to) continue;
    const key = `${from.key} ${to.key} ${edge.reason}`;
    const isUrgent = from.node !== undefined && to.node !== undefined && (needsLook(from.node) || needsLook(to.node));
    // Lines of a fold are drawn once.
    if (!lines.has(key)) lines.set(key, { key, edge, from: from.key, to: to.key, path: pathOf(from, to), needsLook: isUrgent });
  }
  return {
    width: 2 * padding + (columns.length - 1) * columnStep + boxWidth,
    height: height + padding,
    heads,
    boxes,
    lines: [...lines.values()],
  };
};
