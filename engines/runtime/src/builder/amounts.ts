/** Formats sizes and durations for a build's log. */
const UNITS = ['B', 'kB', 'MB', 'GB'];

/** `1536` → `1.5 kB`; decimal units. */
export const bytesText = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
};

/** `840` → `840 ms`, `12_345` → `12.3 s`. */
export const durationText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

export const filesText = (count: number): string => (count === 1 ? '1 file' : `${count} files`);
