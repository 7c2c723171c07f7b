/** Two changes of one text, joined line by line: what each did where the other did nothing. */
import { diffArrays } from 'diff';

/** Lines from `from` to before `to` of the text before become `lines`. */
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
    // What goes and what comes at one place is one edit.
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
/** Side by side counts, too: which line comes first is not known then. */
const touches = (one: Edit, other: Edit): boolean => one.from <= other.to && other.from <= one.to;

/** Undefined where both changed the same lines, or lines next to each other: then people decide. */
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
