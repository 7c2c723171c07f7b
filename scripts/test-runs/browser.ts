/** Finds a Chromium for the browser tests: one that is there, else Playwright's own, else Debian's package when this is root. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const existing = (): string | undefined => {
  const named = process.env['SLIPWAY_BROWSER'];
  return [...(named ? [named] : []), ...installed, chromium.executablePath()].find((path) => existsSync(path));
};
const quietly = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0;

/** The path of a browser that starts, or undefined: then the browser tests are skipped, loudly. */
export const findBrowser = (): string | undefined => {
  const found = existing();
  if (found) return found;
  process.stdout.write('Looking for a browser…\n');
  if (quietly('node_modules/.bin/playwright', ['install', 'chromium'])) return existing();
  if (process.getuid?.() === 0 && quietly('apt-get', ['update', '-qq']) && quietly('apt-get', ['install', '-y', '-qq', 'chromium']))
    return existing();
  return undefined;
};
