import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';

import { createApp } from '../src/app.js';
import { job } from '../src/job.js';
import { serve } from '../src/serve.js';
import { readSettings } from '../src/settings.js';
import { nextTurn, tideHeight } from '../src/tide.js';
import { Worker } from '../src/worker.js';

const stops = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A worker with a short interval. `ended(n)` resolves when n runs have ended, by the lines they log. */
const startWorker = (work, settings = {}) => {
  const lines = [];
  const waiting = [];
  const write = (level) => (message, fields) => {
    lines.push({ level, message, ...fields });
    for (const { count, resolve } of waiting) if (lines.length >= count) resolve();
  };
  const worker = new Worker({ job: work, settings: { intervalMs: 5, timeoutMs: 1000, ...settings }, log: { info: write('info'), error: write('error') } });
  worker.start();
  stops.push(() => worker.stop());
  const ended = (count) => new Promise((resolve) => (lines.length >= count ? resolve() : waiting.push({ count, resolve })));
  return { worker, lines, ended };
};

describe('the worker', () => {
  test('runs the job again and again, and remembers the runs', async () => {
    let calls = 0;
    const { worker, lines, ended } = startWorker(async () => ({ summary: `call ${++calls}`, figures: { calls } }));
    await ended(3);
    await worker.stop();
    assert.deepEqual(
      worker
        .runs()
        .slice(-3)
        .map(({ number, isOk, summary }) => [number, isOk, summary]),
      [
        [3, true, 'call 3'],
        [2, true, 'call 2'],
        [1, true, 'call 1'],
      ],
    );
    assert.partialDeepStrictEqual(lines[0], { level: 'info', message: 'call 1', run: 1, calls: 1 });
  });

  test('goes on after a failure and is ill after three in a row', async () => {
    let calls = 0;
    const { worker, lines, ended } = startWorker(async () => {
      calls += 1;
      if (calls <= 3) throw new Error('no water');
      return { summary: 'fine' };
    }, { intervalMs: 40 });
    await ended(2);
    assert.equal(worker.health().isWell, true);
    await ended(3);
    assert.deepEqual(worker.health(), { isWell: false, reason: 'the last runs have failed' });
    assert.partialDeepStrictEqual(lines[0], { level: 'error', message: 'run failed', error: 'no water' });
    await ended(4);
    assert.equal(worker.health().isWell, true);
  });

  test('never runs twice at once, and gives up on a run that takes too long', async () => {
    let atOnce = 0;
    let most = 0;
    const { worker, ended } = startWorker(async ({ signal }) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      atOnce -= 1;
      return { summary: 'late' };
    }, { timeoutMs: 20 });
    await ended(3);
    assert.equal(most, 1);
    assert.equal(worker.runs().at(-1).isOk, false);
  });

  test('is ill when no run ends', () => {
    const { worker } = startWorker(() => new Promise(() => {}), { timeoutMs: 100 });
    assert.equal(worker.health(Date.now() + 50).isWell, true);
    assert.equal(worker.health(Date.now() + 500).isWell, false);
  });

  test('stops in the middle of a run', async () => {
    const { worker } = startWorker(() => new Promise(() => {}), { timeoutMs: 60_000 });
    await worker.stop();
    assert.match(worker.runs()[0].summary, /the worker stops/);
  });
});

describe('the status', () => {
  test('is a page, JSON and a health answer', async () => {
    const { worker, ended } = startWorker(job);
    await ended(1);
    const { port, stop } = await serve(createApp({ worker, intervalMs: 30_000 }), { port: 0, host: '127.0.0.1' });
    stops.push(stop);
    const url = `http://127.0.0.1:${port}`;
    assert.match(await (await fetch(url)).text(), /The tide stands at/);
    const { runs } = await (await fetch(`${url}/runs.json`)).json();
    assert.equal(runs.at(-1).number, 1);
    const health = await fetch(`${url}/healthz`);
    assert.equal(health.status, 200);
    assert.deepEqual(await health.json(), { status: 'ok' });
    assert.equal((await fetch(`${url}/nothing`)).status, 404);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  });
});

describe('the job', () => {
  test('finds the tide between its bounds and a turn within half a day', async () => {
    const now = new Date('2026-05-01T06:00:00Z');
    const { summary, figures } = await job({ now, signal: new AbortController().signal });
    assert.match(summary, /^The tide stands at \d\.\d\d m; (high|low) water in \d+ min$/);
    assert.ok(figures.heightMetres > -0.1 && figures.heightMetres < 4.9);
    assert.ok(figures.minutes < 12 * 60);
  });

  test('a high water is higher than the minutes around it', () => {
    const first = nextTurn(new Date('2026-05-01T06:00:00Z'));
    const around = [-30, 30].map((minutes) => tideHeight(new Date(first.at.getTime() + minutes * 60_000)));
    for (const height of around) assert.equal(tideHeight(first.at) > height, first.isHigh);
  });
});

describe('the settings', () => {
  test('have defaults and refuse nonsense', () => {
    assert.deepEqual(readSettings({}), { intervalMs: 30_000, timeoutMs: 20_000 });
    assert.deepEqual(readSettings({ INTERVAL_SECONDS: '5' }), { intervalMs: 5_000, timeoutMs: 20_000 });
    assert.throws(() => readSettings({ INTERVAL_SECONDS: 'often' }), /INTERVAL_SECONDS must be a number of seconds from 0.1 to 86400, not "often"/);
  });
});
