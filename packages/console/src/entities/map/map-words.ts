/** Words of a map: states, kinds, and what an edge means to both of its ends. */
import type { MapEdge, MapKind, MapNode, MapState, ResourceMap } from '@slipway/contract/map.ts';
import { paths } from '#entities/paths.ts';
import { healthLook, lifecycleLook, type StatusLook } from '#entities/status.ts';

const { CREATING, DELETING, NOT_CREATED } = lifecycleLook;
const looks: Readonly<Record<MapState, StatusLook | undefined>> = {
  ...healthLook,
  CREATING,
  DELETING,
  NOT_CREATED,
  MISSING: { tone: 'bad', word: 'Missing on the cluster' },
  DIFFERS: { tone: 'warn', word: 'Settings differ' },
  READ_ONLY: { tone: 'warn', word: 'Read-only' },
  READY: { tone: 'ok', word: 'Ready' },
};
export const lookOf = ({ state }: MapNode): StatusLook | undefined => (state === null ? undefined : looks[state]);
const urgency = (node: MapNode): number => ['bad', 'warn', 'run'].indexOf(lookOf(node)?.tone ?? '') + 1 || 4;
export const needsLook = (node: MapNode): boolean => urgency(node) < 3;

export const kindWords: Readonly<Record<MapKind, string>> = {
  service: 'Service',
  database: 'Database',
  topic: 'Topic',
  schema: 'Schema',
  account: 'Account',
  secretGroup: 'Secret group',
  app: 'App',
  outside: 'Outside',
};
export const nameOf = ({ kind, name }: MapNode): string => (kind === 'outside' ? 'Callers at the edge' : name);

export const hrefOf = ({ kind, name, app }: MapNode, env: string): string | undefined => {
  if (app === null) return undefined;
  const place = { app, env };
  const hrefs: Readonly<Record<MapKind, () => string | undefined>> = {
    service: () => paths.service({ ...place, service: name }),
    database: () => paths.database({ ...place, database: name }),
    topic: () => paths.topic({ ...place, topic: name }),
    schema: () => paths.schema({ ...place, schema: name }),
    account: () => paths.account({ ...place, account: name }),
    secretGroup: () => paths.secretGroup({ ...place, group: name }),
    app: () => paths.appMap(place),
    outside: () => undefined,
  };
  return hrefs[kind]();
};

/** Verbs of an edge, for the user and for the used node. */
const reasonWords: Readonly<Record<MapEdge['reason'], readonly [uses: string, usedBy: string]>> = {
  CALLS: ['calls', 'called by'],
  WRITES: ['writes', 'written by'],
  READS: ['reads', 'read by'],
  OWNS: ['belongs to', 'owns'],
  QUERIES: ['queries', 'queried by'],
  SECRET: ['reads secrets of', 'read by'],
  DESCRIBES: ['has the schema', 'schema of'],
};
export interface Relation {
  readonly key: string;
  readonly verb: string;
  readonly other: MapNode;
  /** ` (through api)`, ` (requested)`, or nothing. */
  readonly note: string;
}
export interface MapRow {
  readonly node: MapNode;
  readonly uses: readonly Relation[];
  readonly usedBy: readonly Relation[];
}

/** The table of a map: each node with its dependencies and dependents, the most urgent first. */
export const rowsOf = ({ nodes, edges }: ResourceMap): MapRow[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rows = new Map(nodes.map((node) => [node.id, { node, uses: [] as Relation[], usedBy: [] as Relation[] }]));
  for (const { from, to, reason, through, isRequested } of edges) {
    // Data flows from a topic to its reader, and the reader depends on the topic.
    const [user, used] = reason === 'READS' || reason === 'OWNS' ? [to, from] : [from, to];
    const [userNode, usedNode] = [byId.get(user), byId.get(used)];
    if (!userNode || !usedNode) continue;
    const notes = [...(through.length > 0 ? [`through ${through.join(', ')}`] : []), ...(isRequested ? ['requested'] : [])];
    const note = notes.length > 0 ? ` (${notes.join('; ')})` : '';
    const key = `${from} ${to} ${reason}`;
    rows.get(user)?.uses.push({ key, verb: reasonWords[reason][0], other: usedNode, note });
    rows.get(used)?.usedBy.push({ key, verb: reasonWords[reason][1], other: userNode, note });
  }
  return [...rows.values()].toSorted((a, b) => urgency(a.node) - urgency(b.node) || a.node.id.localeCompare(b.node.id));
};
