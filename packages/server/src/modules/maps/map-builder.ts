/** Collects the nodes and edges of a map, within its limits. */
import {
  mapStates,
  maxMapEdges,
  maxMapNodes,
  type MapEdge,
  type MapKind,
  type MapNode,
  type MapState,
  type ResourceMap,
} from '@slipway/contract/map.ts';

const maxThrough = 20;
/** Reads one row more than a map shows, to know whether it shows all. */
export const nodeLimit = maxMapNodes + 1;
export const edgeLimit = maxMapEdges + 1;

export type Team = NonNullable<MapNode['team']>;
export const nodeId = (kind: MapKind, app: string, name: string): string => (kind === 'app' ? `app:${app}` : `${kind}:${app}/${name}`);

/** State of a resource that pipelines create and delete; `otherwise` while it is active. */
export const lifecycle = (state: string, otherwise: MapState | null): MapState | null =>
  mapStates.find((known) => known === state) ?? otherwise;

export class MapBuilder {
  readonly #nodes = new Map<string, MapNode>();
  readonly #edges = new Map<string, MapEdge>();
  readonly #cut = new Set<MapKind>();
  #areEdgesCut = false;

  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  /** Adds the rows of one query, which the query sorted by urgency and limited to `nodeLimit`. */
  addAll<Row>(kind: MapKind, rows: readonly Row[], nodeOf: (row: Row) => Omit<MapNode, 'id' | 'kind'>): void {
    const room = maxMapNodes - [...this.#nodes.values()].filter((node) => node.kind === kind).length;
    if (rows.length > room) this.#cut.add(kind);
    for (const row of rows.slice(0, room)) {
      const node = nodeOf(row);
      const id = nodeId(kind, node.app ?? '', node.name);
      this.#nodes.set(id, { id, kind, ...node });
    }
  }

  /** Marks that a query for edges had more rows than its limit. */
  limitEdges(count: number): void {
    if (count > maxMapEdges) this.#areEdgesCut = true;
  }

  /** Merges edges of the same nodes and reason. Edges of nodes that the map does not contain are left out: add nodes first. */
  join(from: string, to: string, reason: MapEdge['reason'], through: readonly string[] = [], isRequested = false): void {
    if (!this.#nodes.has(from) || !this.#nodes.has(to)) return;
    const key = `${from}>${to}>${reason}`;
    const known = this.#edges.get(key);
    if (!known && this.#edges.size >= edgeLimit) return void (this.#areEdgesCut = true);
    this.#edges.set(key, {
      from,
      to,
      reason,
      through: [...new Set([...(known?.through ?? []), ...through])].slice(0, maxThrough),
      isRequested: isRequested && (known?.isRequested ?? true),
    });
  }

  build(isComplete: boolean): ResourceMap {
    const edges = [...this.#edges.values()].filter(({ from, to }) => this.#nodes.has(from) && this.#nodes.has(to));
    const areEdgesCut = this.#areEdgesCut || edges.length > maxMapEdges;
    return { nodes: [...this.#nodes.values()], edges: edges.slice(0, maxMapEdges), cutKinds: [...this.#cut], areEdgesCut, isComplete };
  }
}
