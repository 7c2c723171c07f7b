/** Labels of a time axis: as short as the span allows, in the user's time zone, on a 24-hour clock. */

const parts = (options: Intl.DateTimeFormatOptions): ((seconds: number) => string) => {
  const format = new Intl.DateTimeFormat('en-GB', options);
  return (seconds) => format.format(seconds * 1000);
};
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const date = { day: 'numeric', month: 'short' } as const;

const exactClock = parts({ ...clock, second: '2-digit' });
const shortClock = parts(clock);
const dayAndMonth = parts(date);
const dayAndClock = parts({ ...date, ...clock });

const hour = 3600;
const day = 24 * hour;

/** Returns an axis label: the date if a tick is a day or at midnight, otherwise the time. */
export const tickText = (seconds: number, stepSeconds: number): string => {
  if (stepSeconds >= day) return dayAndMonth(seconds);
  if (stepSeconds < 60) return exactClock(seconds);
  const text = shortClock(seconds);
  return text === '00:00' ? dayAndMonth(seconds) : text;
};

/** Returns a time for tooltips and lists, with the date if the span is longer than a day. */
export const timeText = (seconds: number, spanSeconds: number): string =>
  spanSeconds > day ? dayAndClock(seconds) : spanSeconds <= hour ? exactClock(seconds) : shortClock(seconds);

/** Round distances between ticks, in seconds. */
export const tickSteps: number[] = [
  1,
  5,
  10,
  15,
  30,
  60,
  300,
  600,
  900,
  1800,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  7 * day,
];
