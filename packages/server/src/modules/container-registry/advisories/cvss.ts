/** Score and severity from what an advisory says of it: CVSS vectors of any version, or a word. */
import cvss from 'ae-cvss-calculator';
import { severityOfScore, type Severity } from '@slipway/contract/registry/severity.ts';
import { z } from 'zod';

export interface Rating {
  readonly severity: Severity;
  readonly score: number | null;
  readonly vector: string | null;
}
export const unknownRating: Rating = { severity: 'unknown', score: null, vector: null };

const LONGEST_VECTOR = 300;
/** The newest version first; Ubuntu gives a word. */
const kinds = ['CVSS_V4', 'CVSS_V3', 'CVSS_V2'] as const;
const Scores = z.object({ base: z.number().min(0).max(10) });

const words: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  important: 'high',
  high: 'high',
  moderate: 'medium',
  medium: 'medium',
  low: 'low',
  negligible: 'low',
  unimportant: 'low',
};
/** As GitHub, Debian, Ubuntu and Red Hat write them; unknown for any other. */
export const severityOfWord = (word: unknown): Severity => {
  const own = typeof word === 'string' ? word.toLowerCase() : '';
  return Object.hasOwn(words, own) ? (words[own] ?? 'unknown') : 'unknown';
};

const scoreOf = (vector: string): number | undefined => {
  if (vector.length > LONGEST_VECTOR) return undefined;
  try {
    return Scores.safeParse(cvss.fromVector(vector)?.calculateScores()).data?.base;
  } catch {
    return undefined;
  }
};

export const ratingOf = (severities: readonly { type: string; score: string }[], word: unknown): Rating => {
  for (const kind of kinds) {
    const vector = severities.find(({ type }) => type === kind)?.score;
    const score = vector === undefined ? undefined : scoreOf(vector);
    if (vector !== undefined && score !== undefined) return { severity: severityOfScore(score), score, vector };
  }
  const own = severities.find(({ type }) => type === 'Ubuntu')?.score;
  return { ...unknownRating, severity: severityOfWord(own ?? word) };
};
