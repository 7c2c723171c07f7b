/**
 * The README's test command: gates, unit and module tests, then the browser. What takes long is left to `npm run test:long`. Its last line
 * counts the tests.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserTests } from './test-runs/browser-tests.ts';
import { findBrowser } from './test-runs/browser.ts';
import { unreachedCodes } from './test-runs/reached-codes.ts';
import { finish, inFolder, one, run, vitest, type Count } from './test-runs/test-count.ts';

const gates = async (): Promise<Count> => one((await run(process.execPath, ['scripts/check.ts'])) === 0, 'npm run check');

/** Afterwards, whatever the catalogues promise was met by a test; see the list there. */
const units = async (folder: string): Promise<Count[]> => {
  const reachedFile = join(folder, 'reached');
  writeFileSync(reachedFile, '');
  const count = await vitest(folder, [], { SLIPWAY_TEST_REACHED: reachedFile, SLIPWAY_TEST_SHORT: 'yes' });
  const missing = unreachedCodes(reachedFile);
  if (missing.length > 0) process.stdout.write(`\nNo test reached these codes over HTTP: ${missing.join(', ')}\n\n`);
  return [count, one(missing.length === 0, `codes that no test reached: ${missing.join(', ')}`)];
};

await inFolder(async (folder) => {
  const counts = [await gates(), ...(await units(folder)), await browserTests(folder, ['--grep-invert', '@long'])];
  // Said again where it is read.
  if (!findBrowser()) process.stdout.write('The browser tests were skipped: no browser.\n');
  finish(counts);
});
