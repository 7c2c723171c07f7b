/** The real server with embedded engines, a real Chromium, both themes. */
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
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['json']],
  use: {
    baseURL: `http://localhost:${port}`,
    browserName: 'chromium',
    headless: true,
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath, args },
    trace: 'retain-on-failure',
  },
  projects: [
    { name: 'light', use: { colorScheme: 'light' } },
    { name: 'dark', use: { colorScheme: 'dark' }, grep: /@themes/ },
  ],
});
