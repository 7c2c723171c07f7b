/** How fast a topic was written over the last hour, from how far it was at each look: pure. */

/** When it was looked at, in seconds, and how many messages had been written by then. */
export type Mark = [seconds: number, written: number];

const STEP_SECONDS = 120;
const STEPS = 30;

/**
 * At most one mark for every two minutes is kept, for an hour, and none while nothing is written: a quiet topic's row stays as it is. `last`:
 * the look before this one, where quiet ended. A topic that was made anew begins again.
 */
export const withMark = (marks: readonly Mark[], [seconds, written]: Mark, last?: Mark): Mark[] => {
  const kept = marks.filter(([at, count]) => at > seconds - (STEPS + 1) * STEP_SECONDS && count <= written);
  const newest = kept.at(-1);
  if (!newest) return [[seconds, written]];
  if (seconds - newest[0] < STEP_SECONDS || newest[1] === written) return kept;
  const isQuietTill = last !== undefined && last[1] === newest[1] && last[0] > newest[0] && last[0] < seconds;
  return [...kept, ...(isQuietTill ? [last] : []), [seconds, written]];
};

const rounded = (rate: number): number => Number(rate.toPrecision(3));
/** Messages per second, the newest last; null for times between which nobody looked. */
export const ratesOf = (marks: readonly Mark[], newest: Mark): (number | null)[] => {
  const points = [...marks, newest];
  return Array.from({ length: STEPS }, (_, index) => {
    const at = newest[0] - (STEPS - 1 - index) * STEP_SECONDS;
    const after = points.findIndex(([seconds]) => seconds >= at);
    const [before, next] = [points[after - 1], points[after]];
    if (!before || !next || next[0] <= before[0]) return null;
    return rounded((next[1] - before[1]) / (next[0] - before[0]));
  });
};
