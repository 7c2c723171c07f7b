/** Applies the fixes of a verdict to the text that it was made for. */
import type { SchemaFix, SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';

/** Those that are certain. */
export const fixesOf = ({ issues }: SchemaVerdict): SchemaFix[] => issues.flatMap(({ fix }) => (fix ? [fix] : []));

/** From the end to the beginning, so that no edit moves another. One that would overlap is left out: its issue is found again. */
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
