/** Maps: what an app or a team is connected to, with the state of each node. The platform derives them from rows; nobody draws them. */
import * as z from 'zod/mini';
import { routesIn } from './kernel/kernel.ts';

export const mapKinds = ['service', 'database', 'topic', 'schema', 'account', 'secretGroup', 'app', 'outside'] as const;
export const MapKind = z.enum(mapKinds);
export type MapKind = z.infer<typeof MapKind>;

/** Most urgent first. */
export const mapStates = [
  'FAILING',
  'NOT_CREATED',
  'MISSING',
  'PENDING',
  'DIFFERS',
  'READ_ONLY',
  'CREATING',
  'DELETING',
  'HEALTHY',
  'READY',
  'NO_INSTANCES',
  'INACTIVE',
  'NONE',
] as const;
export const MapState = z.enum(mapStates);
export type MapState = z.infer<typeof MapState>;

export const MapNode = z.object({
  /** Unique in one map: `topic:berth/berthevents`. */
  id: z.string(),
  kind: MapKind,
  name: z.string(),
  /** Null for `outside`. */
  app: z.nullable(z.string()),
  /** Team of the app. */
  team: z.nullable(z.object({ id: z.string(), displayName: z.string() })),
  /** Null if the node has none: a secret group, an account without problems, the outside. */
  state: z.nullable(MapState),
});
export type MapNode = z.infer<typeof MapNode>;

/** CALLS: requests. WRITES, READS: messages. OWNS: the app owns the topic. QUERIES: a database. SECRET: reads values. DESCRIBES: a topic's schema. */
export const mapReasons = ['CALLS', 'WRITES', 'READS', 'OWNS', 'QUERIES', 'SECRET', 'DESCRIBES'] as const;
export const MapEdge = z.object({
  /** Ids of nodes, in the direction of the data or the request. */
  from: z.string(),
  to: z.string(),
  reason: z.enum(mapReasons),
  /** Names of what allows it, at most 20: accounts and secret groups in an app's map, topics in a team's map. */
  through: z.array(z.string()),
  /** True if it was requested and nobody approved it yet. */
  isRequested: z.boolean(),
});
export type MapEdge = z.infer<typeof MapEdge>;

/** Most nodes per kind. */
export const maxMapNodes = 150;
export const maxMapEdges = 2000;
export const ResourceMap = z.object({
  nodes: z.array(MapNode),
  edges: z.array(MapEdge),
  /** Kinds with more than 150 nodes. The map contains the most urgent ones. */
  cutKinds: z.array(MapKind),
  /** True if there are more than 2,000 grants or attachments, so that edges are missing. */
  areEdgesCut: z.boolean(),
  /** False for people outside the team: they see services, topics and schemas. */
  isComplete: z.boolean(),
});
export type ResourceMap = z.infer<typeof ResourceMap>;

const route = routesIn({ tag: 'Maps', access: 'signedIn' });
export const appMapView = route('appMapView', 'GET /api/v1/apps/{app}/{env}/map', {
  summary: 'What the services of an app use, who uses its topics, and the state of each',
  description: 'Members of the team also see databases, accounts, secret groups and other apps.',
  response: ResourceMap,
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'],
});
export const teamMapView = route('teamMapView', 'GET /api/v1/teams/{team}/{env}/map', {
  summary: 'Apps of a team, and the apps that exchange messages with them',
  access: 'teamMember',
  response: ResourceMap,
  codes: ['TeamDoesNotExist', 'EnvironmentDoesNotExist', 'NotAMember'],
});
