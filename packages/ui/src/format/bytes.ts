const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes in steps of 1024, like memory limits: "512 B", "64 MB", "1.5 GB". At most one decimal, none if it is zero. */
export function bytes(value: number): string {
  let amount = Math.max(0, value);
  let unit = 0;
  while (Math.round(amount * 10) / 10 >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${Number(amount.toFixed(amount < 100 ? 1 : 0))} ${UNITS[unit]}`;
}

/** Formats whole megabytes, the unit of the settings: 768 → "768 MB", 1024 → "1 GB". */
export function megabytes(mb: number): string {
  return bytes(mb * 1024 * 1024);
}
