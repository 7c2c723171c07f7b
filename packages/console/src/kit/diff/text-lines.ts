/** Compares two texts by line and marks the words that differ. */
import { diffArrays, diffWordsWithSpace } from 'diff';

export interface LinePart {
  readonly text: string;
  readonly isMarked: boolean;
}
export interface DiffLine {
  readonly kind: 'del' | 'add' | 'same' | 'gap';
  readonly parts: readonly LinePart[];
}

/** Shorter values are marked as a whole: marking parts of a number or a word explains nothing. */
const wordsFrom = 24;
/** Number of unchanged lines to show around changed ones. */
const around = 2;

export const wholeLine = (kind: DiffLine['kind'], text: string, isMarked = true): DiffLine => ({ kind, parts: [{ text, isMarked }] });

/** Returns a removed and an added line, with only the differing words marked. */
export const wordLines = (before: string, after: string): DiffLine[] => {
  if (Math.max(before.length, after.length) < wordsFrom) return [wholeLine('del', before), wholeLine('add', after)];
  const parts = diffWordsWithSpace(before, after);
  const side = (left: 'added' | 'removed'): LinePart[] =>
    parts
      .filter((part) => !part[left])
      .map((part) => ({ text: part.value, isMarked: left === 'added' ? part.removed === true : part.added === true }));
  return [
    { kind: 'del', parts: side('added') },
    { kind: 'add', parts: side('removed') },
  ];
};

/** Replaces a long run of unchanged lines by one line with their number. */
const folded = (lines: readonly string[], isFirst: boolean, isLast: boolean): DiffLine[] => {
  const head = isFirst ? 0 : around;
  const tail = isLast ? 0 : around;
  const hidden = lines.length - head - tail;
  const same = (text: string): DiffLine => wholeLine('same', text, false);
  if (hidden < 2) return lines.map(same);
  const gap = wholeLine('gap', `${hidden} lines stay the same`, false);
  return [...lines.slice(0, head).map(same), gap, ...lines.slice(lines.length - tail).map(same)];
};

/** Compares by line. A line that replaces another one is compared by word. */
export const textLines = (before: string, after: string): DiffLine[] => {
  const blocks = diffArrays(before.split('\n'), after.split('\n'));
  return blocks.flatMap((block, index): DiffLine[] => {
    const { value, added, removed } = block;
    if (!added && !removed) return folded(value, index === 0, index === blocks.length - 1);
    const next = blocks[index + 1];
    const previous = blocks[index - 1];
    if (removed && next?.added && value.length === next.value.length)
      return value.flatMap((line, at) => wordLines(line, next.value[at] ?? ''));
    if (added && previous?.removed && value.length === previous.value.length) return [];
    return value.map((line) => wholeLine(removed ? 'del' : 'add', line));
  });
};
