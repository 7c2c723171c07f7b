const pad = (value: number) => String(value).padStart(2, '0');

/** Formats milliseconds: "0.4 s", "11 s", "1 min 45 s", "2 h 05 min", "3 d 4 h". Negative durations count as 0. */
export function duration(ms: number): string {
  const span = Math.max(0, ms);
  // Round first; otherwise 9.96 s would read "10.0 s" and 59.6 s "60 s".
  const tenths = Math.round(span / 100);
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(span / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats a running duration in whole seconds, so that the text does not jitter. */
export function tickingDuration(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
}
