/** Browser monitoring with Faro's SDK as it is: a page on another origin sends vitals, an error and a slow call, and the screens show them. */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { monitorList, monitorSourceMapUpload, monitorUpdate, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { callApi } from '../api.ts';
import { expectAccessible } from '../accessible.ts';
import { coveredCells } from '../cells.ts';
import { signIn } from '../sign-in.ts';

const tab = '/app/berth-planner/production/monitoring';
const params = { app: 'berth-planner', env: 'production' };
const sdk = readFileSync(resolve(import.meta.dirname, '../../node_modules/@grafana/faro-web-sdk/dist/bundle/faro-web-sdk.iife.js'));
const SLOW_MS = 1200;

/** The watched page. It listens on an address of its own, so that the browser sends a preflight. */
let snippet = '';
const site = http.createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://site');
  if (pathname === '/faro.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(sdk);
  if (pathname === '/start.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(snippet);
  if (pathname === '/slow') return setTimeout(() => response.writeHead(503).end('slow'), SLOW_MS);
  return response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Plans</title><h1>Plans</h1>
    <button onclick="showWindow()">Fail</button><button onclick="fetch('/slow')">Load</button><script src="/faro.js"></script><script src="/start.js"></script>`);
});
let origin = '';
test.beforeAll(async () => {
  await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
test.afterAll(() => void site.close());

const expectFits = async (on: Page): Promise<void> => {
  await expectAccessible(on);
  await on.setViewportSize({ width: 390, height: 800 });
  expect(await on.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await coveredCells(on)).toEqual([]);
  await on.setViewportSize({ width: 1280, height: 800 });
};
const shoot = async (on: Page, name: string): Promise<void> => {
  const folder = process.env['SLIPWAY_E2E_SHOTS'];
  if (!folder) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await on.emulateMedia({ colorScheme });
    await on.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, fullPage: true });
  }
  await on.setViewportSize({ width: 390, height: 800 });
  await on.screenshot({ path: `${folder}/${name}-phone.png`, fullPage: true });
  await on.setViewportSize({ width: 1280, height: 800 });
};

/** The SDK sends vitals such as LCP and INP when the page is hidden, so the page is used and left. */
const visit = async (on: Page): Promise<void> => {
  await on.goto(`${origin}/plans/8841`);
  const sent = on.waitForResponse((answer) => answer.url().includes('/collect/') && answer.request().method() === 'POST');
  await on.getByRole('button', { name: 'Fail' }).click();
  expect((await sent).status()).toBe(202);
  const slow = on.waitForResponse((answer) => answer.url().endsWith('/slow'));
  await on.getByRole('button', { name: 'Load' }).click();
  await slow;
  await on.waitForResponse((answer) => answer.url().includes('/collect/') && (answer.request().postData()?.includes('/slow') ?? false));
  await on.goto('about:blank');
};

test('a page sends what it measures, and the screens show it', async ({ page: on, context }) => {
  await on.setViewportSize({ width: 1280, height: 800 });
  await signIn(on);
  await on.goto(tab);
  await expect(on.getByText('No browser monitors in production yet')).toBeVisible();
  await shoot(on, 'empty-list');
  await on.getByRole('link', { name: 'New browser monitor' }).click();
  await on.getByRole('textbox', { name: 'Name' }).fill('plans-web');
  await on.getByRole('button', { name: 'Create browser monitor' }).click();
  await expect(on.getByText('Allowed origins is required')).toBeVisible();
  await on.getByRole('textbox', { name: 'Allowed origins' }).fill('plans.example.com');
  await on.getByRole('button', { name: 'Create browser monitor' }).click();
  await expect(on.getByText(/https:\/\/app\.example\.com.*is expected/)).toBeVisible();
  await shoot(on, 'new');
  await on.getByRole('textbox', { name: 'Allowed origins' }).fill(origin);
  await on.getByRole('button', { name: 'Create browser monitor' }).click();
  await expect(on.getByText('Waiting for the first payload.')).toBeVisible();
  await expectFits(on);
  await shoot(on, 'setup');
  const { content } = await callApi<{ content: Monitor[] }>(monitorList, { params });
  const { apiKey, collectorUrl } = content[0] as Monitor;
  snippet = `const { getWebInstrumentations, initializeFaro } = GrafanaFaroWebSdk;
    initializeFaro({ url: '${collectorUrl}', apiKey: '${apiKey}', app: { name: 'plans', version: '61' }, instrumentations: getWebInstrumentations(),
      user: { id: 'olga' } });
    function showWindow() { throw new TypeError("reading 'window' of undefined <img src=x onerror=alert(1)>"); }`;
  const site = await context.newPage();
  await visit(site);
  await site.close();
  await on.goto(`${tab}/plans-web`);
  const paint = on.getByRole('group', { name: 'First paint' });
  await expect(paint.getByRole('img', { name: /good up to 1.8 s/ })).toBeVisible();
  await expect(on.getByRole('group', { name: 'First byte' }).getByText('Good')).toBeVisible();
  await expect(on.getByText('/plans/:id')).toBeVisible();
  await expect(on.getByRole('region', { name: 'Releases' }).getByText('61')).toBeVisible();
  await expectFits(on);
  await shoot(on, 'overview');
});

test('the error has a stack, which a source map translates', async ({ page: on }) => {
  await on.setViewportSize({ width: 1280, height: 800 });
  await signIn(on);
  await on.goto(`${tab}/plans-web/errors`);
  await on.getByRole('button', { name: /reading 'window' of undefined/ }).click();
  await expect(on.getByText(/start\.js:4/).first()).toBeVisible();
  await expect(on.getByText('Not translated: upload the source maps of 61')).toBeVisible();
  // Line 4 of the file is line 88 of its source, whatever the column.
  const map = { version: 3, sources: ['src/TidePanel.tsx'], names: [], mappings: ';;;AAuFA' };
  await callApi(monitorSourceMapUpload, { params: { ...params, monitor: 'plans-web', release: '61', file: 'start.js' }, body: map });
  await on.reload();
  await expect(on.getByText(/src\/TidePanel\.tsx:88/)).toBeVisible();
  await expectFits(on);
  await shoot(on, 'errors');
  await on.getByRole('button', { name: 'Resolve' }).click();
  await expect(on.getByText('No open errors')).toBeVisible();
  await on.getByRole('link', { name: 'All', exact: true }).click();
  await expect(on.getByText('Resolved', { exact: true }).last()).toBeVisible();
});

test('the session and the slow call are shown', async ({ page: on }) => {
  await on.setViewportSize({ width: 1280, height: 800 });
  await signIn(on);
  await on.goto(`${tab}/plans-web/sessions`);
  await on.getByRole('button', { name: /user [0-9a-f]{4}/ }).click();
  await expect(on.getByText(/\/slow answered 503 in 1\.\d s/)).toBeVisible();
  await expect(on.getByText(/TypeError: reading 'window' of undefined <img/)).toBeVisible();
  await expectFits(on);
  await shoot(on, 'sessions');
  await on.goto(`${tab}/plans-web/calls`);
  await expect(on.getByRole('row', { name: /127\.0\.0\.1:\d+\/slow/ })).toContainText(/1\.\d s/);
  await expectFits(on);
  await shoot(on, 'calls');
});

test('another origin is refused in the browser, and its page works on', async ({ page: on }) => {
  await callApi(monitorUpdate, { params: { ...params, monitor: 'plans-web' }, body: { allowedOrigins: ['https://plans.example.com'] } });
  const refused = on.waitForEvent('requestfailed', (request) => request.url().includes('/collect/'));
  await on.goto(`${origin}/plans/1`);
  await refused;
  await expect(on.getByRole('heading', { name: 'Plans' })).toBeVisible();
});

test('people of other teams see whom to ask', async ({ page: on }) => {
  await on.setViewportSize({ width: 1280, height: 800 });
  await signIn(on, 'Sofía Marín');
  await on.goto(tab);
  await expect(on.getByText(/You are not in Terminal Operations/)).toBeVisible();
  await shoot(on, 'stranger-list');
  await on.goto(`${tab}/plans-web`);
  await expect(on.getByText(/You are not in Terminal Operations/)).toBeVisible();
  await shoot(on, 'stranger');
});
