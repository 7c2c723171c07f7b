/** Last days, which are UTC days: days left, and formatting. */

const dayMs = 86_400_000;

/** 0 on the day itself, negative afterwards. */
export const daysUntil = (day: string, now: Date): number =>
  Math.round((Date.parse(`${day}T00:00:00Z`) - Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())) / dayMs);

/** Returns the UTC day in `days` days, such as `2026-12-22`. */
export const dayAfter = (days: number, now: Date): string => new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10);

/** "15 Dec", with the year if it is not the current year. */
export const dayLabel = (day: string, now: Date): string => {
  const date = new Date(`${day}T00:00:00Z`);
  const year = date.getUTCFullYear() === now.getUTCFullYear() ? {} : { year: 'numeric' as const };
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...year, timeZone: 'UTC' }).format(date);
};

export const inDays = (days: number): string => {
  if (days === 0) return 'today';
  return days === 1 ? 'tomorrow' : `in ${days} days`;
};
