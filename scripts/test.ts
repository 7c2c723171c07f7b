/** The README's test command: gates, unit and module tests, then the browser. Its last line counts the tests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from './browser.ts';
import { unreachedCodes } from './reached-codes.ts';
import { counted, finish, inFolder, none, one, run, vitest, type Count } from './test-count.ts';

const gates = async (): Promise<Count> => one((await run(process.execPath, ['scripts/check.ts'])) === 0);

/** Afterwards, whatever the catalogues promise was met by a test; see the list there. */
const units = async (folder: string): Promise<Count[]> => {
  const reachedFile = join(folder, 'reached');
  writeFileSync(reachedFile, '');
  const count = await vitest(folder, [], { SLIPWAY_TEST_REACHED: reachedFile });
  const missing = unreachedCodes(reachedFile);
  if (missing.length > 0) process.stdout.write(`\nNo test reached these codes over HTTP: ${missing.join(', ')}\n\n`);
  return [count, one(missing.length === 0)];
};

const browser = async (folder: string): Promise<Count> => {
  const executable = findBrowser();
  if (!executable) {
    process.stdout.write('\nNO BROWSER: the end-to-end tests were skipped. Install Chromium, or run as root on Debian.\n\n');
    return { ...none, skipped: 1 };
  }
  const file = join(folder, 'playwright.json');
  const code = await run('node_modules/.bin/playwright', ['test', '--config', 'e2e/playwright.config.ts'], {
    SLIPWAY_BROWSER: executable,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  });
  return counted<{ stats: { expected: number; unexpected: number; flaky: number; skipped: number } }>(file, code, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }));
};

await inFolder(async (folder) => {
  const counts = [await gates(), ...(await units(folder)), await browser(folder)];
  // Said again where it is read.
  if (!findBrowser()) process.stdout.write('The browser tests were skipped: no browser.\n');
  finish(counts);
});
