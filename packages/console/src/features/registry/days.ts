/** Last days, which are days of UTC: how far away one is, and how it is written. */

const dayMs = 86_400_000;

/** 0 on the day itself; negative once it is over. */
export const daysUntil = (day: string, now: Date): number =>
  Math.round((Date.parse(`${day}T00:00:00Z`) - Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())) / dayMs);

/** `2026-12-22`, so many days from now. */
export const dayAfter = (days: number, now: Date): string => new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10);

/** "15 Dec", with the year where it is another. */
export const dayLabel = (day: string, now: Date): string => {
  const date = new Date(`${day}T00:00:00Z`);
  const year = date.getUTCFullYear() === now.getUTCFullYear() ? {} : { year: 'numeric' as const };
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...year, timeZone: 'UTC' }).format(date);
};

export const inDays = (days: number): string => {
  if (days === 0) return 'today';
  return days === 1 ? 'tomorrow' : `in ${days} days`;
};
