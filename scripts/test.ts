/**
 * The README's test command: gates, unit and module tests, then the browser. What takes long is left to `npm run test:long`. Its last line
 * counts the tests.
 */
import { browserTests } from './test-runs/browser-tests.ts';
import { findBrowser } from './test-runs/browser.ts';
import { longJourneys } from './test-runs/long-tags.ts';
import { fetchPgPrograms } from './test-runs/pg-programs.ts';
import { noteReachedCodes } from './test-runs/reached-codes.ts';
import { finish, inFolder, one, run, vitest, type Count } from './test-runs/test-count.ts';

const gates = async (): Promise<Count> => one((await run(process.execPath, ['scripts/check.ts'])) === 0, 'npm run check');

const units = async (folder: string): Promise<Count> => {
  await fetchPgPrograms();
  return vitest(folder, [], { ...noteReachedCodes({ isAnew: true }), SLIPWAY_TEST_SHORT: 'yes' });
};

await inFolder(async (folder) => {
  const counts = [await gates(), await units(folder), await browserTests(folder, ['--grep-invert', longJourneys()])];
  // Said again where it is read.
  if (!findBrowser()) process.stdout.write('The browser tests were skipped: no browser.\n');
  finish(counts);
});
