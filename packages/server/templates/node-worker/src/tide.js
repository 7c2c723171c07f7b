// The height of the tide at a made-up port, by the sum of its four strongest waves: enough to show a job that computes something.
const HOUR_MS = 3_600_000;

/** Height in metres and time of one turn in hours; `lagHours` after the epoch the wave stands highest. */
const WAVES = [
  { name: 'M2', heightMetres: 1.62, hours: 12.4206, lagHours: 3.1 },
  { name: 'S2', heightMetres: 0.48, hours: 12, lagHours: 4.7 },
  { name: 'K1', heightMetres: 0.21, hours: 23.9345, lagHours: 9.4 },
  { name: 'O1', heightMetres: 0.15, hours: 25.8193, lagHours: 1.9 },
];
const MEAN_METRES = 2.4;

/** Metres above chart datum. */
export const tideHeight = (at) =>
  WAVES.reduce((sum, { heightMetres, hours, lagHours }) => {
    const turns = (at.getTime() / HOUR_MS - lagHours) / hours;
    return sum + heightMetres * Math.cos(2 * Math.PI * turns);
  }, MEAN_METRES);

/** The next time after `at` when the tide turns, to the minute: { at, isHigh }. */
export const nextTurn = (at) => {
  const step = 60_000;
  const isRising = tideHeight(new Date(at.getTime() + step)) > tideHeight(at);
  let time = at.getTime();
  while (tideHeight(new Date(time + step)) > tideHeight(new Date(time)) === isRising) time += step;
  return { at: new Date(time), isHigh: isRising };
};
