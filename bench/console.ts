/**
 * How soon the console shows the first row of its list: headless Chromium, cold cache, signed in, medians of five, at full speed and with a
 * processor four times slower. Fails where more comes before the row than allowed; times are for the reader, since machines differ.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { findBrowser } from '../scripts/test-runs/browser.ts';
import { pipelineList } from '@slipway/contract/pipeline/pipeline.ts';
import { measureFirstRow, medians, type FirstRow } from './console/first-row.ts';

const rounds = 5;
const limits = { requests: 40, scriptKilobytes: 170 } as const;
const aims: readonly [cpu: number, rowMs: number][] = [
  [1, 600],
  [4, 1500],
];

export const run = async (): Promise<void> => {
  process.env['SLIPWAY_E2E_PORT'] ??= process.env['BENCH_PORT'] ?? '4700';
  // Both read the port when they are loaded.
  const { default: serve } = await import('../e2e/server.ts');
  const { signIn } = await import('../e2e/sign-in.ts');
  const { callApi, origin } = await import('../e2e/api.ts');
  const url = origin.replace('127.0.0.1', 'localhost');
  const executablePath = findBrowser();
  if (!executablePath) throw new Error('No Chromium was found');
  const stop = await serve();
  await untilQuiet(() => callApi<Runs>(pipelineList, { query: { size: 100 } }));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const context = await browser.newContext({ baseURL: url });
    await signIn(await context.newPage());
    const state = await context.storageState({ indexedDB: true });
    await context.close();
    const rows: ({ cpu: string; aimMs: number } & FirstRow)[] = [];
    for (const [cpu, aimMs] of aims) {
      const measured: FirstRow[] = [];
      for (let round = 0; round < rounds; round += 1) measured.push(await measureFirstRow(browser, `${url}/`, state, cpu));
      rows.push({ cpu: `${cpu}×`, aimMs, ...medians(measured) });
    }
    console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, shown(value)]))));
    const isOver = rows.some((row) => row.requests > limits.requests || row.scriptKilobytes > limits.scriptKilobytes);
    if (isOver) process.exitCode = 1;
    console.log(
      `console: first row ${rows.map(({ cpu, rowMs }) => `${Math.round(rowMs)} ms at ${cpu}`).join(', ')}; ` +
        `${rows[0]?.requests} requests, ${rows[0]?.scriptKilobytes.toFixed(0)} kB of JavaScript (at most ${limits.requests} and ${limits.scriptKilobytes})`,
    );
  } finally {
    await browser.close();
    await stop();
  }
};

interface Runs {
  readonly content: readonly { readonly status: { readonly state: string } }[];
}
const quietSeconds = 5;
const deadlineSeconds = 120;

/** A first start makes the demo's apps: what is measured is the console, not a machine that builds images beside it. */
const untilQuiet = async (runs: () => Promise<Runs>): Promise<void> => {
  let quietSince: number | undefined;
  for (const deadline = Date.now() + deadlineSeconds * 1000; Date.now() < deadline; await delay(250)) {
    const { content } = await runs();
    const isQuiet = content.length > 0 && content.every(({ status }) => ['COMPLETED', 'FAILED', 'CANCELED'].includes(status.state));
    quietSince = isQuiet ? (quietSince ?? Date.now()) : undefined;
    if (quietSince !== undefined && Date.now() - quietSince >= quietSeconds * 1000) return;
  }
  throw new Error('The demo apps are not made in two minutes');
};

const shown = (value: string | number): string | number => (typeof value === 'number' ? Math.round(value * 10) / 10 : value);
