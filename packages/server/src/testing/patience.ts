/** How long tests wait, and how many faults they try; apart from what needs Vitest, since its configuration reads this. */

/** For what must come: only a failure waits that long, so a busy machine is given time. */
export const PATIENCE_MS = 60_000;

/** Set by `npm run test:long`. */
export const isEveryFault = process.env['SLIPWAY_TEST_FAULTS'] === 'all';
