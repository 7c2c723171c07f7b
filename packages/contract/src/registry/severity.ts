/** Severity of a vulnerability, in CVSS terms. The order decides what a policy blocks. */
import * as z from 'zod/mini';
import type { VulnerabilitySeverity } from './policy.ts';

/** Worst first. `unknown`: the advisory has no severity, which does not mean harmless. */
export const severities = ['critical', 'high', 'medium', 'low', 'unknown', 'none'] as const;
export const Severity = z.enum(severities);
export type Severity = z.infer<typeof Severity>;

export const SeverityCounts = z.object({
  critical: z.number(),
  high: z.number(),
  medium: z.number(),
  low: z.number(),
  unknown: z.number(),
  none: z.number(),
});
export type SeverityCounts = z.infer<typeof SeverityCounts>;
export const noCounts: SeverityCounts = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0, none: 0 };

/** True if a policy with this threshold blocks the severity. `none` blocks every vulnerability including unknown ones, as in Harbor. */
export const isAtLeast = (severity: Severity, threshold: VulnerabilitySeverity): boolean =>
  severities.indexOf(severity) <= severities.indexOf(threshold);

/** Returns the qualitative rating of a score according to the CVSS specification. */
export const severityOfScore = (score: number): Severity => {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'none';
};

export const worstOf = (counts: SeverityCounts): Severity | null => severities.find((severity) => counts[severity] > 0) ?? null;
export const totalOf = (counts: SeverityCounts): number => severities.reduce((sum, severity) => sum + counts[severity], 0);
