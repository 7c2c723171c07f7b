/** Builds maps for tests. */
import type { MapEdge, MapKind, MapNode, MapState, ResourceMap } from '@slipway/contract/map.ts';

export const node = (kind: MapKind, name: string, state: MapState | null, app = 'berth'): MapNode => {
  const team = app === 'berth' ? { id: 'cranes', displayName: 'Cranes' } : { id: 'customs', displayName: 'Customs' };
  return { id: kind === 'app' ? `app:${app}` : `${kind}:${app}/${name}`, kind, name, app, team, state };
};
export const edge = (from: string, to: string, reason: MapEdge['reason'], more: Partial<MapEdge> = {}): MapEdge => {
  return { from, to, reason, through: [], isRequested: false, ...more };
};
export const mapOf = (nodes: MapNode[], edges: MapEdge[], more: Partial<ResourceMap> = {}): ResourceMap => {
  return { nodes, edges, cutKinds: [], areEdgesCut: false, isComplete: true, ...more };
};
