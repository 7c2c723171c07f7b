/** Whether a version is affected, and which one fixes it: the evaluation that the OSV specification describes. */
import type { AdvisoryEntry, VersionRange } from './osv.ts';
import { compareVersions } from './versions/compare-versions.ts';

/** `unknown`: a version of the advisory, or the package's own, is none of the ecosystem. */
export type Verdict = { readonly is: 'affected'; readonly fixedIn: string | null } | { readonly is: 'fine' | 'unknown' };

/** Before every version. */
const BEGINNING = '0';

class NoVersion extends Error {}

const order = (ecosystem: string, a: string, b: string): number => {
  if (a === b) return 0;
  if (a === BEGINNING || b === BEGINNING) return a === BEGINNING ? -1 : 1;
  const found = compareVersions(ecosystem, a, b);
  if (found === undefined) throw new NoVersion();
  return found;
};

interface Mark {
  readonly kind: 'introduced' | 'fixed' | 'last';
  readonly version: string;
}
const marksOf = ({ events }: VersionRange): Mark[] =>
  events.flatMap(({ introduced, fixed, last_affected: last }): Mark[] => [
    ...(introduced === undefined ? [] : [{ kind: 'introduced' as const, version: introduced }]),
    ...(fixed === undefined ? [] : [{ kind: 'fixed' as const, version: fixed }]),
    ...(last === undefined ? [] : [{ kind: 'last' as const, version: last }]),
  ]);

const inRange = (ecosystem: string, version: string, range: VersionRange): Verdict => {
  const limits = range.events.flatMap(({ limit }) => (limit === undefined || limit === '*' ? [] : [limit]));
  const isUnlimited = limits.length === 0 || range.events.some(({ limit }) => limit === '*');
  if (!isUnlimited && limits.every((limit) => order(ecosystem, version, limit) >= 0)) return { is: 'fine' };
  const marks = marksOf(range).toSorted((a, b) => order(ecosystem, a.version, b.version));
  let isAffected = false;
  for (const { kind, version: mark } of marks) {
    const place = order(ecosystem, version, mark);
    if (kind === 'introduced' && place >= 0) isAffected = true;
    if (kind === 'fixed' && place >= 0) isAffected = false;
    if (kind === 'last' && place > 0) isAffected = false;
  }
  if (!isAffected) return { is: 'fine' };
  const fix = marks.find(({ kind, version: mark }) => kind === 'fixed' && order(ecosystem, mark, version) > 0);
  return { is: 'affected', fixedIn: fix?.version ?? null };
};

const verdictOf = (ecosystem: string, version: string, range: VersionRange): Verdict => {
  try {
    return inRange(ecosystem, version, range);
  } catch (error) {
    if (error instanceof NoVersion) return { is: 'unknown' };
    throw error;
  }
};

export const verdictFor = (
  ecosystem: string,
  version: string,
  { ranges, versions }: Pick<AdvisoryEntry, 'ranges' | 'versions'>,
): Verdict => {
  const verdicts = ranges.map((range) => verdictOf(ecosystem, version, range));
  const found = verdicts.find(({ is }) => is === 'affected');
  if (found) return found;
  if (versions.includes(version)) return { is: 'affected', fixedIn: null };
  return verdicts.find(({ is }) => is === 'unknown') ?? { is: 'fine' };
};
