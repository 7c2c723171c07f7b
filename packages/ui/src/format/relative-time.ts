// Relative times in everyday language. RelativeTime shows the exact time on hover.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export interface TimeOptions {
  /** IANA name. Defaults to the browser's time zone. */
  timeZone?: string;
  /** Omits the time of day after the first day: "yesterday", "18 Nov". */
  isShort?: boolean;
}

interface Day {
  key: string;
  text: string;
  year: string;
  clock: string;
}

function dayOf(at: Date, timeZone: string | undefined): Day {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? '';
  const text = `${part('day')} ${part('month')}`;
  return { key: `${text} ${part('year')}`, text, year: part('year'), clock: `${part('hour')}:${part('minute')}` };
}

/** "just now", "48 s ago", "12 min ago", "2 h ago", "yesterday 16:20", "18 Nov 17:55", "18 Nov 2025". Future times read "in 5 min". */
export function relativeTime(at: Date, now: Date, { timeZone, isShort = false }: TimeOptions = {}): string {
  const age = now.getTime() - at.getTime();
  const span = Math.abs(age);
  const say = (amount: string) => (age >= 0 ? `${amount} ago` : `in ${amount}`);
  if (span < 5 * SECOND) return 'just now';
  if (span < MINUTE) return say(`${Math.floor(span / SECOND)} s`);
  if (span < HOUR) return say(`${Math.floor(span / MINUTE)} min`);
  const today = dayOf(now, timeZone);
  const day = dayOf(at, timeZone);
  if (day.key === today.key || span < 6 * HOUR) return say(`${Math.floor(span / HOUR)} h`);
  const clock = isShort ? '' : ` ${day.clock}`;
  if (day.key === dayOf(new Date(now.getTime() - 24 * HOUR), timeZone).key) return `yesterday${clock}`;
  if (day.key === dayOf(new Date(now.getTime() + 24 * HOUR), timeZone).key) return `tomorrow${clock}`;
  return day.year === today.year ? `${day.text}${clock}` : `${day.text} ${day.year}`;
}

/** The exact time with seconds and zone: "Fri, 20 Nov 2026, 14:22:09 CET". */
export function exactTime(at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(at);
}

/** Time of a log line: "14:08:53.702". */
export function logTime(at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  }).format(at);
}
