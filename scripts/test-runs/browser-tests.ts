/** Runs the journeys in a browser, and counts them. */
import { join } from 'node:path';
import { findBrowser } from './browser.ts';
import { counted, none, run, type Count } from './test-count.ts';

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs: readonly { readonly title: string; readonly file: string; readonly tests: readonly { readonly status: string }[] }[];
}
interface PlaywrightReport {
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number; readonly skipped: number };
  readonly suites: readonly PlaywrightSuite[];
}
const failuresOf = ({ suites = [], specs }: PlaywrightSuite): string[] => [
  ...specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'unexpected' || status === 'flaky'))
    .map(({ file, title }) => `e2e/${file}: ${title}`),
  ...suites.flatMap(failuresOf),
];

/** Without a browser they are skipped, and it says so. `chosen`: arguments for Playwright. */
export const browserTests = async (folder: string, chosen: readonly string[]): Promise<Count> => {
  const executable = findBrowser();
  if (!executable) {
    process.stdout.write('\nNO BROWSER: the end-to-end tests were skipped. Install Chromium, or run as root on Debian.\n\n');
    return { ...none, skipped: 1 };
  }
  const file = join(folder, 'playwright.json');
  const code = await run('node_modules/.bin/playwright', ['test', '--config', 'e2e/playwright.config.ts', ...chosen], {
    SLIPWAY_BROWSER: executable,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  });
  return counted<PlaywrightReport>('playwright', file, code, ({ stats, suites }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    failures: suites.flatMap(failuresOf),
  }));
};
