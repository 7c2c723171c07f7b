/** Histograms with exponential bins: each bin is a tenth wider than the one before. Percentiles are exact to five percent. */

const BASE = 1.1;
/** Covers values up to an hour in milliseconds. */
const LAST_BIN = 160;

/** Bin 0 holds values below 1. */
export const binOf = (value: number): number => (value < 1 ? 0 : Math.min(LAST_BIN, 1 + Math.floor(Math.log(value) / Math.log(BASE))));
const startOf = (bin: number): number => (bin === 0 ? 0 : BASE ** (bin - 1));

export interface BinCount {
  readonly bin: number;
  readonly n: number;
}
/** Returns the value below which this share of the samples is, or null without samples. Interpolates within the bin. */
export const percentile = (bins: readonly BinCount[], share: number): number | null => {
  const sorted = bins.toSorted((a, b) => a.bin - b.bin);
  const total = sorted.reduce((sum, { n }) => sum + n, 0);
  let before = 0;
  for (const { bin, n } of sorted) {
    if (n > 0 && before + n >= total * share) {
      const from = startOf(bin);
      return from + (startOf(bin + 1) - from) * ((total * share - before) / n);
    }
    before += n;
  }
  return null;
};
