/** The real server with embedded engines, and a real Chromium. */
import { defineConfig } from '@playwright/test';
import { port } from './ports.ts';

const executablePath = process.env['SLIPWAY_BROWSER'] ?? '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export default defineConfig({
  testDir: 'tests',
  outputDir: '../test-results',
  globalSetup: './server.ts',
  // One server, whose state the journeys share; two browsers beside two-core instances would only wait for each other.
  workers: 1,
  forbidOnly: Boolean(process.env['CI']),
  // The deadlines of every journey: only a failure waits that long, so a busy machine is given time.
  timeout: 300_000,
  expect: { timeout: 60_000, toPass: { timeout: 90_000 } },
  reporter: [['list'], ['json']],
  use: {
    baseURL: `http://localhost:${port}`,
    browserName: 'chromium',
    headless: true,
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath, args },
    // Pictures of every moment cost as much as the journeys themselves; the pages are in the trace without them.
    trace: { mode: 'retain-on-failure', screenshots: false },
  },
});
