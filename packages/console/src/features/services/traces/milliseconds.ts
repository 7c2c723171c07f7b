/** Durations of spans: 0.42 ms, 168 ms, 2.9 s. */
export const milliseconds = (value: number): string => {
  const digits = (number: number, most: number): string => number.toLocaleString('en', { maximumFractionDigits: most });
  if (value >= 999.5) return `${digits(value / 1000, 1)} s`;
  return `${digits(value, value < 10 ? 2 : 0)} ms`;
};
