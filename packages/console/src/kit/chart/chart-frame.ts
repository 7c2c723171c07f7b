/** Prepares samples for a chart: evenly spaced steps with gaps kept as gaps, and the span the user zoomed into. */

export interface Span {
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
}

export interface Timed {
  readonly at: string;
}

export interface Frame<P extends Timed> {
  readonly times: number[];
  /** One per time; undefined if there is no sample. */
  readonly points: (P | undefined)[];
}

export const secondsOf = (at: string): number => Date.parse(at) / 1000;

/** Fills missing steps between two points with holes, so that no line is drawn across an outage. */
export const frameOf = <P extends Timed>(points: readonly P[], stepSeconds: number): Frame<P> => {
  const times: number[] = [];
  const kept: (P | undefined)[] = [];
  for (const point of points) {
    const time = secondsOf(point.at);
    const last = times.at(-1);
    if (last !== undefined && time <= last) continue;
    if (last !== undefined && time - last > stepSeconds * 1.5) {
      times.push(last + stepSeconds);
      kept.push(undefined);
    }
    times.push(time);
    kept.push(point);
  }
  return { times, points: kept };
};

/** Smallest zoom, one minute: a closer view shows only noise. */
const leastZoomSeconds = 60;

/** Parses a zoom from the URL, `1763640000-1763643600`. Returns undefined if it is invalid or outside the whole span. */
export const parseZoom = (text: string, whole: Span): Span | undefined => {
  const [from = Number.NaN, to = Number.NaN] = text.split('-').map(Number);
  if (!Number.isFinite(from) || !Number.isFinite(to) || to <= from || to <= whole.from || from >= whole.to) return undefined;
  return { from: Math.max(from, whole.from), to: Math.min(to, whole.to) };
};

/** Returns the empty string if the selection is too narrow to be intended. */
export const zoomText = ({ from, to }: Span): string => {
  if (to - from < 1) return '';
  const middle = (from + to) / 2;
  const half = Math.max(to - from, leastZoomSeconds) / 2;
  return `${Math.floor(middle - half)}-${Math.ceil(middle + half)}`;
};

/** Returns the position of a time within a span, 0 to 1, or undefined if it is outside. */
export const shareOf = (seconds: number, { from, to }: Span): number | undefined => {
  const share = (seconds - from) / (to - from);
  return share >= 0 && share <= 1 ? share : undefined;
};

/** Returns a round top for the scale, slightly above the highest value: 1, 2, 2.5 or 5 times a power of ten. */
export const roundTop = (highest: number, atLeast: number): number => {
  const wanted = Math.max(highest * 1.05, atLeast);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((candidate) => candidate * power >= wanted) ?? 10;
  return factor * power;
};

export interface LimitStep extends Span {
  readonly value: number;
}
type Row = ArrayLike<number | null | undefined>;

/**
 * Returns a limit over the whole span as horizontal pieces. The first known value also applies before it, the last one after it: a
 * limit applies even while there are no samples. Empty if no limit is known.
 */
export const limitSteps = (times: ArrayLike<number>, limit: Row, { from, to }: Span): LimitStep[] => {
  const steps: LimitStep[] = [];
  let start = from;
  let held: number | undefined;
  for (const [index, value] of Array.from(limit).entries()) {
    const time = times[index];
    if (typeof value !== 'number' || time === undefined || time > to) continue;
    if (held !== undefined && value !== held && time > start) {
      steps.push({ from: start, to: time, value: held });
      start = time;
    }
    held = value;
  }
  const last = held ?? Array.from(limit).find((value) => typeof value === 'number');
  return typeof last === 'number' && to > start ? [...steps, { from: start, to, value: last }] : steps;
};

/** Returns the indexes of values without a neighbor: no line leads to them, so each is drawn as a dot. */
export const loneValues = (values: Row): number[] => {
  const isThere = (index: number): boolean => typeof values[index] === 'number';
  return Array.from(values, (_, index) => index).filter((index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1));
};
