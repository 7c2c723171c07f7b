/** The README's test command: gates, unit and module tests, then the browser. Its last line counts the tests. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.ts';
import { unreachedCodes } from './reached-codes.ts';

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}
const none: Count = { passed: 0, failed: 0, skipped: 0 };
const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));

const reachedFile = join(folder, 'reached');

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });

/** Where a runner died before it wrote its report, that counts as one failure. */
const report = <T>(file: string, code: number, read: (json: T) => Count): Count => {
  try {
    const count = read(JSON.parse(readFileSync(file, 'utf8')) as T);
    return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
  } catch {
    return { ...none, failed: 1 };
  }
};

const gates = async (): Promise<Count> =>
  (await run(process.execPath, ['scripts/check.ts'])) === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 };

const units = async (): Promise<Count> => {
  const file = join(folder, 'vitest.json');
  writeFileSync(reachedFile, '');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await run('node_modules/.bin/vitest', args, { SLIPWAY_TEST_REACHED: reachedFile });
  return report<{ numPassedTests: number; numFailedTests: number; numPendingTests: number; numTodoTests: number }>(file, code, (json) => ({
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
  }));
};

/** Whatever the catalogues promise was met by a test; see the list there. */
const reached = async (): Promise<Count> => {
  const missing = unreachedCodes(reachedFile);
  if (missing.length > 0) process.stdout.write(`\nNo test reached these codes over HTTP: ${missing.join(', ')}\n\n`);
  return missing.length > 0 ? { ...none, failed: 1 } : { ...none, passed: 1 };
};

const browser = async (): Promise<Count> => {
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
  return report<{ stats: { expected: number; unexpected: number; flaky: number; skipped: number } }>(file, code, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }));
};

const counts: Count[] = [];
for (const part of [gates, units, reached, browser]) counts.push(await part());
rmSync(folder, { recursive: true, force: true });
const total = counts.reduce(
  (sum, count) => ({ passed: sum.passed + count.passed, failed: sum.failed + count.failed, skipped: sum.skipped + count.skipped }),
  none,
);
const isWithoutBrowser = counts[3]?.skipped === 1 && counts[3].passed === 0;
if (isWithoutBrowser) process.stdout.write('The browser tests were skipped: no browser.\n');
process.exitCode = total.failed === 0 ? 0 : 1;
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
