/** Computes a topic's write rate over the last hour from its observations. Pure. */

/** Time of the observation in seconds, and number of messages written until then. */
export type Mark = [seconds: number, written: number];

const STEP_SECONDS = 120;
const STEPS = 30;

/**
 * Adds a mark. Keeps at most one mark per two minutes, for an hour, and none while nothing is written, so that the row of an idle topic
 * stays unchanged. `last` is the previous observation, which marks the end of the idle time. A recreated topic starts over.
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
/** Returns messages per second, newest last. Null for intervals without observations. */
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
