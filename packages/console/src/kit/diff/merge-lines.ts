/** Three-way merge by line: combines two changes of the same text if they don't overlap. */
import { diffArrays } from 'diff';

/** Replaces the base lines from `from` (inclusive) to `to` (exclusive) with `lines`. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

const editsOf = (base: readonly string[], changed: readonly string[]): Edit[] => {
  const edits: Edit[] = [];
  let at = 0;
  for (const { value, added, removed } of diffArrays([...base], [...changed])) {
    const last = edits.at(-1);
    // A removal and an addition at the same place are one edit.
    const joins = last !== undefined && last.to === at;
    if (added) {
      const before = joins ? edits.pop() : undefined;
      edits.push({ from: before?.from ?? at, to: at, lines: [...(before?.lines ?? []), ...value] });
    } else if (removed) {
      const before = joins ? edits.pop() : undefined;
      at += value.length;
      edits.push({ from: before?.from ?? at - value.length, to: at, lines: before?.lines ?? [] });
    } else at += value.length;
  }
  return edits;
};

const isSame = (one: Edit, other: Edit): boolean =>
  one.from === other.from && one.to === other.to && one.lines.join('\n') === other.lines.join('\n');
/** Adjacent edits overlap too, because the order of their lines is unknown. */
const touches = (one: Edit, other: Edit): boolean => one.from <= other.to && other.from <= one.to;

/** Returns undefined if both sides changed the same or adjacent lines: the user decides then. */
export const mergeLines = (base: string, mine: string, theirs: string): string | undefined => {
  const lines = base.split('\n');
  const [own, others] = [editsOf(lines, mine.split('\n')), editsOf(lines, theirs.split('\n'))];
  const fresh = own.filter((edit) => !others.some((other) => isSame(edit, other)));
  if (fresh.some((edit) => others.some((other) => touches(edit, other)))) return undefined;
  const merged = [...lines];
  for (const edit of [...fresh, ...others].toSorted((a, b) => b.from - a.from))
    merged.splice(edit.from, edit.to - edit.from, ...edit.lines);
  return merged.join('\n');
};
