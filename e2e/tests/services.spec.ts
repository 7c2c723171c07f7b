/** Services as a whole: made blank, written as a file, copied, connected to a repository, called, and what the log tells of it. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { serviceYamlUpdate } from '@slipway/contract/service/service-operations.ts';
import { expectAccessible } from '../accessible.ts';
import { makeApp, runApi } from '../api.ts';
import { askService } from '../edge.ts';
import { pushImage } from '../push-image.ts';
import { signIn } from '../sign-in.ts';

const app = 'wharf';
const blank = 'wharf-tides';
const place = `/app/${app}/development`;
const service = `${place}/service/${app}`;

const completed = (page: Page) => expect(page.getByText('Completed', { exact: true }).first()).toBeVisible();
/** A long address gives way in the middle, so its name may be in two parts. */
const urlOf = async (page: Page, name: string, env = 'development'): Promise<string> =>
  (await page
    .getByRole('link', { name: new RegExp(`${name}\\.${app}\\.${env} ?\\.localhost`) })
    .first()
    .getAttribute('href')) ?? '';

test.describe('a service’s life', () => {
  test.describe.configure({ mode: 'serial' });
  test.beforeAll(async () => {
    await makeApp(app);
  });

  test('blank, by the keyboard alone; an image is pushed, the pipeline run, the URL answers', async ({ page }) => {
    await signIn(page);
    await page.goto(`${place}/new-service`);
    await expect(page.getByLabel('Service name')).toBeFocused();
    await page.keyboard.press('End');
    await page.keyboard.type('tides');
    await expect(page.getByText(`${blank} is free`)).toBeVisible();
    await page.keyboard.press('Control+Enter');
    const review = page.getByRole('dialog');
    await expect(review.getByText(`Makes the service ${blank} in development.`)).toBeVisible();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: blank })).toBeVisible();

    await expect(page.getByText(/docker push .*wharf\/wharf-tides:first/)).toBeVisible();
    await pushImage({ app, from: app, to: blank, tag: 'first' });
    await page.getByRole('link', { name: 'Choose the tag and run' }).click();
    const run = page.getByRole('dialog');
    await run.getByLabel('Container image tag').click();
    await page.getByRole('option', { name: /^first/ }).click();
    await run.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run pipeline' }).click();
    await page.waitForURL(/\/pipeline\//);
    await completed(page);
    expect((await askService(await urlOf(page, blank))).status).toBe(200);
  });

  test('what is wrong with a new service stands at its fields, and nothing is lost', async ({ page }) => {
    await signIn(page);
    await page.goto(`${place}/new-service`);
    await page.getByLabel('Service name').fill('crane-tides');
    await page.getByLabel('Port').fill('');
    await page.getByRole('button', { name: 'Review' }).click();
    await expect(page.getByText('Port must be a number')).toBeVisible();
    await expect(page.getByText('Service name must start with application name')).toBeVisible();
    await page.getByLabel('Port').fill('8080');
    await page.getByLabel('Service name').fill(app);
    await page.getByRole('button', { name: 'Review' }).click();
    await expect(page.getByText('Service already exists')).toBeVisible();
    await expect(page.getByLabel('Service name')).toBeFocused();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await expect(page.getByRole('alertdialog').getByText('Leave without saving?')).toBeVisible();
  });

  test('as a file: errors at their lines, the difference, and back again', async ({ page }) => {
    await signIn(page);
    await page.goto(`${service}/service-yaml`);
    const file = page.getByRole('textbox', { name: 'service.yaml' });
    await expect(file).toHaveValue(/memoryMegabytes: 256/);
    const before = await file.inputValue();
    const line = before.split('\n').findIndex((text) => text.includes('cpuMillicores')) + 1;
    await file.fill(before.replace('cpuMillicores: 250', 'cpuMillicores: 7'));
    await page.getByRole('button', { name: 'Review' }).click();
    await expect(page.getByText(`Line ${line}: Minimum CPU of 50 is required`)).toBeVisible();
    await expect(file).toHaveValue(/cpuMillicores: 7/);
    await page.getByRole('button', { name: `Go to line ${line}` }).click();
    await expect(file).toBeFocused();

    const variables = ['LOG_LEVEL', 'GREETING']
      .map((name) => `      - name: ${name}\n        source: STATIC\n        value: ahoy`)
      .join('\n');
    const after = before.replace('memoryMegabytes: 256', 'memoryMegabytes: 320').replace('envVars: []', `envVars:\n${variables}`);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'service.yaml', mimeType: 'application/yaml', buffer: Buffer.from(after.replaceAll('\n', '\r\n')) });
    await expect(file).toHaveValue(after);
    await page.getByRole('button', { name: 'Review' }).click();
    const review = page.getByRole('dialog');
    await expect(review.getByRole('heading', { name: 'Review 3 changes' })).toBeVisible();
    await review.getByRole('button', { name: 'Apply to development' }).click();
    await page.waitForURL(/\/pipeline\//);
    await completed(page);
    await page.goto(`${service}/service-yaml`);
    await expect(file).toHaveValue(/memoryMegabytes: 320/);
    await page.getByRole('button', { name: 'Review' }).click();
    await expect(page.getByText('Nothing would change')).toBeVisible();
  });

  test('copied to production by the keyboard, with one variable left out', async ({ page }) => {
    await signIn(page);
    await page.goto(`${service}/copy-service`);
    await expect(page.getByRole('checkbox', { name: 'LOG_LEVEL' })).toBeChecked();
    // The keyboard alone: the tag, the tick, the review, the action.
    await page.getByLabel(/Container image tag/).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option').nth(1)).toBeVisible();
    await page.keyboard.type('20');
    await expect(page.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(page.getByLabel(/Container image tag/)).toHaveText(/^\d{4}\./);
    await page.getByRole('checkbox', { name: 'GREETING' }).focus();
    await page.keyboard.press('Space');
    await expect(page.getByRole('checkbox', { name: 'GREETING' })).not.toBeChecked();
    await page.keyboard.press('Control+Enter');
    const review = page.getByRole('dialog');
    await expect(review.getByText('LOG_LEVEL')).toBeVisible();
    await expect(review.getByText('GREETING')).toHaveCount(0);
    await page.keyboard.press('Tab');
    await expect(review.getByRole('button', { name: 'Copy to production' })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/production\/service\/wharf\/pipeline\//);
    await completed(page);
    expect((await askService(await urlOf(page, app, 'production'))).status).toBe(200);
    await page.goto(`/app/${app}/production/service/${app}/service-yaml`);
    const file = page.getByRole('textbox', { name: 'service.yaml' });
    await expect(file).toHaveValue(/LOG_LEVEL/);
    expect(await file.inputValue()).not.toContain('GREETING');
  });

  test('connected to a repository, and not to one that is none', async ({ page }) => {
    await signIn(page);
    await page.goto(`${place}/service/${blank}`);
    await page.getByRole('button', { name: `More actions for ${blank}` }).click();
    await page.getByRole('menuitem', { name: 'Connect to GitHub' }).click();
    const dialog = page.getByRole('dialog', { name: /^Connect/ });
    const choose = async (text: string, option: RegExp): Promise<void> => {
      await dialog.getByRole('combobox', { name: 'Repository' }).click();
      await page.getByRole('combobox', { name: 'Search or type a repository' }).fill(text);
      await page.getByRole('option', { name: option }).click();
      await dialog.getByRole('button', { name: 'Connect' }).click();
    };
    await choose('https://git.example/tides.git', /not in the list/);
    await expect(dialog.getByText('Github repository name must be valid or empty')).toBeVisible();
    await choose('nothing-here', /not in the list/);
    await expect(dialog.getByText('Please choose an existing GitHub repository')).toBeVisible();
    await choose('wharf', /^wharf/);
    await expect(page.getByText(`${blank} is being connected to wharf`)).toBeVisible();
    await expect(page.getByText('wharf/wharf', { exact: true })).toBeVisible();
  });

  test('called with a token that was made for it', async ({ page }) => {
    const yaml = 'spec:\n  externalTrafficAuthentication: AZURE_AUTH\n';
    await runApi(serviceYamlUpdate, { params: { app, env: 'development', service: blank }, body: { yaml } });
    await signIn(page);
    await page.goto(`${place}/service/${blank}`);
    const url = await urlOf(page, blank);
    expect((await askService(url)).status).toBe(401);
    await page.getByRole('link', { name: 'Call it' }).click();
    const dialog = page.getByRole('dialog', { name: `Call ${blank}` });
    await dialog.getByRole('button', { name: 'Get a token' }).click();
    const shown = dialog.getByLabel('Token', { exact: true });
    await expect(shown).toHaveValue(/^ey[\w-]+\.[\w-]+\.[\w-]+$/);
    const token = await shown.inputValue();
    const { host, port } = new URL(url);
    const status = await new Promise((resolve, reject) =>
      http
        .get({ host: '127.0.0.1', port, path: '/', headers: { host, connection: 'close', authorization: `Bearer ${token}` } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
        .on('error', reject),
    );
    expect(status).toBe(200);
  });

  test('the log is filtered, tells what changed, and is saved as a file', async ({ page }) => {
    await signIn(page);
    await page.goto(`${place}/activity-logs`);
    await page.getByRole('button', { name: 'More filters' }).click();
    const choose = async (label: string, option: Locator): Promise<void> => {
      await page.getByLabel(label, { exact: true }).click();
      await option.click();
    };
    await choose('Service', page.getByRole('option', { name: app, exact: true }));
    await choose('Type', page.getByRole('option', { name: 'Service update' }));
    await expect(page).toHaveURL(/type=serviceUpdate/);
    const table = page.getByRole('table', { name: 'Activity logs, newest first' });
    await expect(table.getByRole('row')).toHaveCount(2);
    await table.getByRole('link').first().click();
    const entry = page.getByRole('dialog');
    await expect(entry.getByRole('row', { name: /Memory.*256.*320/ })).toBeVisible();
    const address = page.url();
    await entry.getByRole('button', { name: 'Close', exact: true }).last().click();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'As a table, CSV' }).click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(2);

    // The entry's own address finds it without any of the filters.
    await page.goto(`${place}/activity-logs${new URL(address).search.replace(/.*entry=/, '?entry=')}`);
    await expect(page.getByRole('dialog').getByRole('row', { name: /Memory.*256.*320/ })).toBeVisible();
  });

  test('strangers see whom to ask', async ({ page }) => {
    await signIn(page, 'Sofía Marín');
    await page.goto(`${service}/copy-service`);
    await expect(page.getByText('Services are copied by members of the team')).toBeVisible();
    await page.goto(`${service}/service-yaml`);
    await expect(page.getByText('Settings are for members of the team')).toBeVisible();
    await page.goto(`${service}/activity-logs`);
    await expect(page.getByText('Activity logs are for members of the team')).toBeVisible();
  });
});

const demo = '/app/berth-planner/development';
const screens: readonly (readonly [path: string, ready: string | RegExp])[] = [
  [`${demo}/new-service`, 'New blank service'],
  [`${demo}/new-service/quickstart`, /template/],
  [`${demo}/service/berth-planner/copy-service`, 'What differs'],
  [`${demo}/service/berth-planner/service-yaml`, 'From a terminal'],
  [`${demo}/service/berth-planner?open=call`, 'Call berth-planner'],
  [`${demo}/service/berth-planner?open=repository`, /^Connect berth-planner/],
  [`${demo}/activity-logs?level=INFO&type=Deploy`, 'berth-planner'],
  [`${demo}/service/berth-planner/activity-logs`, 'berth-planner'],
];

test('axe finds nothing, and nothing scrolls sideways on a phone', { tag: '@long' }, async ({ page }) => {
  await signIn(page);
  await page.goto(`${demo}/service/berth-planner/revision/berth-planner-2`);
  await expect(page.getByRole('heading', { level: 1, name: 'berth-planner-2' })).toBeVisible();
  for (const [path, ready] of screens) {
    await test.step(path, async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(path);
      await expect(page.getByRole('heading', { name: ready }).first()).toBeVisible();
      await page.waitForLoadState('load');
      await expectAccessible(page, { hasPopup: true });
      await page.setViewportSize({ width: 360, height: 780 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    });
  }
});
