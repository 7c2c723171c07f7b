/** Web vitals: names, thresholds and ratings (specification §9). Layout shift has no unit; the other vitals are milliseconds. */

export const vitals = ['LCP', 'INP', 'CLS', 'FCP', 'TTFB', 'FID'] as const;
export type Vital = (typeof vitals)[number];

interface VitalFacts {
  readonly label: string;
  /** Values up to here are good. */
  readonly good: number;
  /** Values above are poor. */
  readonly poor: number;
}
export const vitalFacts: Readonly<Record<Vital, VitalFacts>> = {
  LCP: { label: 'Largest paint', good: 2500, poor: 4000 },
  INP: { label: 'Input delay', good: 200, poor: 500 },
  CLS: { label: 'Layout shift', good: 0.1, poor: 0.25 },
  FCP: { label: 'First paint', good: 1800, poor: 3000 },
  TTFB: { label: 'First byte', good: 800, poor: 1800 },
  /** Replaced by INP in the browsers' own lists, and still measured. */
  FID: { label: 'First input', good: 100, poor: 300 },
};

export const ratings = ['GOOD', 'NEEDS_IMPROVEMENT', 'POOR'] as const;
export type Rating = (typeof ratings)[number];
export const ratingOf = (vital: Vital, value: number): Rating => {
  const { good, poor } = vitalFacts[vital];
  if (value <= good) return 'GOOD';
  return value <= poor ? 'NEEDS_IMPROVEMENT' : 'POOR';
};
