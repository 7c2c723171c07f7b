/**
 * Runs the tests that `npm test` leaves out to save time, and every point of every grid of faults: `npm run test:long`. Names after `--`
 * choose test files. Afterwards checks that a test of this run, or of the `npm test` before it, reached every code of the catalogues. The
 * last line counts the tests.
 */
import { browserTests } from './test-runs/browser-tests.ts';
import { longJourneys, longTests, sharedTests } from './test-runs/long-tests.ts';
import { noteReachedCodes, reachedCodes } from './test-runs/reached-codes.ts';
import { finish, inFolder, vitest, type Count } from './test-runs/test-count.ts';

const named = process.argv.slice(2);
const everyFault = { SLIPWAY_TEST_FAULTS: 'all' };

await inFolder(async (folder) => {
  const all = async (): Promise<Count[]> => [
    await vitest(folder, [...longTests, ...sharedTests], { ...everyFault, ...noteReachedCodes({ isAnew: false }) }),
    reachedCodes(),
    await browserTests(folder, ['--grep', longJourneys]),
  ];
  finish(named.length > 0 ? [await vitest(folder, named, everyFault)] : await all());
});
