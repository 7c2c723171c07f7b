/** Search or jump to, and the keys: everywhere the same, quiet while one types, and accessible while open. */
import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { signIn } from '../sign-in.ts';

const app = '/app/berth-planner/development';
const service = `${app}/service/berth-planner`;

const open = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
};
const dialog = (page: Page) => page.getByRole('dialog');

/** The keys are there right after the first screen; a press before that is lost, so it is repeated. */
const openPalette = (page: Page): Promise<void> =>
  expect(async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await expect(dialog(page)).toBeVisible({ timeout: 1000 });
  }).toPass();

/** The app: a pipeline of it may be under way, and be found as well. */
const tariffEngine = (page: Page) => page.getByRole('option').and(page.locator('[href="/app/tariff-engine"]'));

test('the palette finds an app, opens it, and comes back with where one was', async ({ page }) => {
  await signIn(page);
  await open(page, '/my-teams');
  await openPalette(page);
  await expectAccessible(page, { hasPopup: true });
  await page.keyboard.type('tariff');
  const option = tariffEngine(page);
  await expect(option).toBeVisible();
  await expect(option.locator('mark')).toHaveText('tariff');
  await expectAccessible(page, { hasPopup: true });
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/app\/tariff-engine$/);
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('link', { name: 'Commercial Finance' })).toBeVisible();

  await open(page, '/pipelines');
  await openPalette(page);
  const recent = page.getByRole('group', { name: 'Recent' });
  await expect(recent.getByRole('option', { name: /tariff-engine/ })).toBeVisible();
  await page.keyboard.type('no such thing');
  await expect(dialog(page)).toContainText('Nothing is called “no such thing”');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
});

test('Mod Enter opens the chosen place in a tab of its own and leaves the palette open', async ({ page, context }) => {
  await signIn(page);
  await open(page, '/my-apps');
  await openPalette(page);
  await page.keyboard.type('tariff-engine');
  await expect(tariffEngine(page)).toHaveAttribute('data-highlighted', '');
  const [tab] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('ControlOrMeta+Enter')]);
  await expect(tab).toHaveURL(/\/app\/tariff-engine$/);
  await expect(dialog(page)).toBeVisible();
});

test('keys lead through a service, and do nothing while one types', async ({ page }) => {
  await signIn(page);
  await open(page, service);
  const press = (...keys: string[]) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  await expect(async () => {
    await press('g', 'p');
    await expect(page).toHaveURL(`${service}/pipelines`, { timeout: 1000 });
  }).toPass();
  await press('g', 'a');
  await expect(page).toHaveURL(`${service}/activity-logs`);
  await expect(page.getByRole('searchbox')).toBeVisible();
  await press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('g?[');
  await expect(page.getByRole('searchbox')).toHaveValue('g?[');
  await expect(dialog(page)).toHaveCount(0);
  // Empties the field, leaves it, goes one page up.
  await press('Escape', 'Escape', 'Escape');
  await expect(page).toHaveURL(service);

  await open(page, app);
  await expect(async () => {
    await press('[');
    await expect(page).toHaveURL('/app/berth-planner/production', { timeout: 1000 });
  }).toPass();
  await press('?');
  await expect(dialog(page)).toContainText('Keyboard shortcuts');
  await expectAccessible(page, { hasPopup: true });
  await page.getByRole('switch').uncheck();
  await press('Escape');
  await expect(dialog(page)).toBeHidden();
  await press('?', ']');
  await expect(dialog(page)).toHaveCount(0);
  await expect(page).toHaveURL('/app/berth-planner/production');
});
