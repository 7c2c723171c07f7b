/** Orders the spans of a trace as a tree: each span is followed by its children, in the order of their starts. */
import type { TraceSpan } from '@slipway/contract/service/traces.ts';

export interface TreeSpan {
  readonly span: TraceSpan;
  readonly depth: number;
}
const MAX_DEPTH = 12;

/** Spans whose parent is unknown begin at the left. Programs may send circles, so each span is visited once. */
export const spanTree = (spans: readonly TraceSpan[]): TreeSpan[] => {
  const ids = new Set(spans.map(({ id }) => id));
  const sorted = spans.toSorted((a, b) => a.offsetMs - b.offsetMs);
  const children = Map.groupBy(sorted, ({ parent }) => (parent !== null && ids.has(parent) ? parent : ''));
  const seen = new Set<TraceSpan>();
  const tree: TreeSpan[] = [];
  const visit = (from: readonly TraceSpan[]): void => {
    const waiting = from.map((span) => ({ span, depth: 0 })).toReversed();
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { span, depth } = next;
      if (seen.has(span)) continue;
      seen.add(span);
      tree.push({ span, depth: Math.min(depth, MAX_DEPTH) });
      for (const child of (children.get(span.id) ?? []).toReversed()) waiting.push({ span: child, depth: depth + 1 });
    }
  };
  visit(children.get('') ?? []);
  visit(sorted);
  return tree;
};
