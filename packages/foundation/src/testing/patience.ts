/** How long tests wait, and how many faults they try; apart from what needs Vitest, since its configuration reads this. */

/** For what must come: only a failure waits that long, so a busy machine is given time. */
export const PATIENCE_MS = 60_000;

/** `all` tries every fault, `third:0` to `third:2` a third of each grid. `npm run test:all` and `test:long` set it (scripts/long.ts). */
const faults = process.env['SLIPWAY_TEST_FAULTS'] ?? '';
export const isEveryFault = faults === 'all';
/** Which third of each grid this run tries, from 0. Undefined in other runs. */
export const gridThird = /^third:[012]$/.test(faults) ? Number(faults.at(-1)) : undefined;
export const isLongRun = isEveryFault || gridThird !== undefined;

/** Number of kills or rounds: all, a third of them, or `few` outside of long runs. */
export const roundsOf = (all: number, few: number): number => (isEveryFault ? all : gridThird === undefined ? few : Math.ceil(all / 3));
