/** Searches the palette's entries: every word must match, and matches at the start of a name rank higher. */
import type { PaletteGroup, PaletteItem } from '@slipway/ui/overlay/Palette.tsx';

export interface Entry extends Omit<PaletteItem, 'found'> {
  /** Hidden search words: display name, synonyms. */
  words?: string;
}
export interface EntryGroup {
  label: string;
  entries: readonly Entry[];
  /** True for actions; `>` shows only these. */
  isActions?: boolean;
}

type Range = readonly [from: number, to: number];
export interface Match {
  score: number;
  found: Range[];
}

const exactScore = 8;
const startScore = 4;
const wordStartScore = 3;
const insideScore = 2;
/** Score of a match in the hidden words. */
const hiddenScore = 1;

const isWordStart = (text: string, at: number): boolean => at === 0 || !/[a-z0-9]/.test(text.charAt(at - 1));

/** Returns the first match at the start of a word, otherwise the first match. */
const placeOf = (text: string, term: string): number => {
  const first = text.indexOf(term);
  for (let at = first; at >= 0; at = text.indexOf(term, at + 1)) if (isWordStart(text, at)) return at;
  return first;
};

const joined = (ranges: Range[]): Range[] => {
  const all: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
};

export const matchEntry = ({ label, words = '' }: Pick<Entry, 'label' | 'words'>, query: string): Match | undefined => {
  const text = label.toLowerCase();
  const hidden = words.toLowerCase();
  const whole = query.trim().toLowerCase();
  let score = text === whole ? exactScore : 0;
  const found: Range[] = [];
  for (const term of whole.split(/\s+/)) {
    const at = placeOf(text, term);
    if (at >= 0) {
      found.push([at, at + term.length]);
      score += at === 0 ? startScore : isWordStart(text, at) ? wordStartScore : insideScore;
    } else if (hidden.includes(term)) score += hiddenScore;
    else return undefined;
  }
  return { score, found: joined(found) };
};

/** Returns the groups with matches, best first, each URL only once. Without a query returns everything in the given order. */
export const matchGroups = (groups: readonly EntryGroup[], query: string): PaletteGroup[] => {
  const isActionsOnly = query.trimStart().startsWith('>');
  const text = (isActionsOnly ? query.trimStart().slice(1) : query).trim();
  const seen = new Set<string>();
  const once = ({ href }: Entry): boolean => href === undefined || (!seen.has(href) && seen.add(href).size > 0);
  const shown = groups
    .filter(({ isActions = false }) => isActions || !isActionsOnly)
    .map(({ label, entries }) => {
      const unique = entries.filter(once);
      if (text === '') return { label, best: 0, items: unique };
      const matches = unique.flatMap((entry) => {
        const match = matchEntry(entry, text);
        return match ? [{ entry, match }] : [];
      });
      const sorted = matches.toSorted((a, b) => b.match.score - a.match.score);
      const items = sorted.map(({ entry, match }): PaletteItem => ({ ...entry, found: match.found }));
      return { label, best: sorted[0]?.match.score ?? 0, items };
    })
    .filter(({ items }) => items.length > 0);
  return shown.toSorted((a, b) => b.best - a.best).map(({ label, items }) => ({ label, items }));
};
