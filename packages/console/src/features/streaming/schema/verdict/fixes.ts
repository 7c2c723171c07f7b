/** Applies the fixes of a verdict to the text that the verdict belongs to. */
import type { SchemaFix, SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';

/** Returns the fixes that are certain. */
export const fixesOf = ({ issues }: SchemaVerdict): SchemaFix[] => issues.flatMap(({ fix }) => (fix ? [fix] : []));

/** Applies edits from end to start, so that offsets stay valid. Skips overlapping edits; the next verdict reports their issues again. */
export const applyFixes = (content: string, fixes: readonly SchemaFix[]): string => {
  const edits = fixes.flatMap((fix) => fix.edits).toSorted((a, b) => b.from - a.from || b.to - a.to);
  let text = content;
  let start = Number.POSITIVE_INFINITY;
  for (const { from, to, insert } of edits) {
    if (to > start || from < 0 || to > content.length) continue;
    text = text.slice(0, from) + insert + text.slice(to);
    start = from;
  }
  return text;
};
