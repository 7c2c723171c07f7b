/** Times under a chart: as short as the span allows, in the reader's own zone, never with a.m. and p.m. */

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

/** For the axis: the date once a tick is a day or the clock stands at midnight. */
export const tickText = (seconds: number, stepSeconds: number): string => {
  if (stepSeconds >= day) return dayAndMonth(seconds);
  if (stepSeconds < 60) return exactClock(seconds);
  const text = shortClock(seconds);
  return text === '00:00' ? dayAndMonth(seconds) : text;
};

/** For what is read out and listed: with the date where the span is more than a day. */
export const timeText = (seconds: number, spanSeconds: number): string =>
  spanSeconds > day ? dayAndClock(seconds) : spanSeconds <= hour ? exactClock(seconds) : shortClock(seconds);

/** Distances between ticks that people count in. */
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
