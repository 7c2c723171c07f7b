/** Every screen in both themes: it shows what it is, axe finds nothing, and nothing scrolls sideways on a phone. */
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { signIn } from '../sign-in.ts';

const service = '/app/berth-planner/development/service/berth-planner';
const screens: readonly (readonly [path: string, heading: string | RegExp])[] = [
  ['/', 'Apps'],
  ['/all-apps', 'Apps'],
  ['/all-apps?query=nothing-like-this', 'Apps'],
  ['/my-teams', 'Teams'],
  ['/all-teams', 'Teams'],
  ['/team/terminal-operations', 'Terminal Operations'],
  ['/new-team', /team/i],
  ['/new-app', /app/i],
  ['/new-app/quickstart', 'Quickstart'],
  ['/new-app/blank', /app/i],
  ['/new-app/catalogue', /catalogue/i],
  ['/app/berth-planner', 'berth-planner'],
  ['/app/berth-planner/production', 'berth-planner'],
  ['/app/berth-planner/development/activity-logs', 'berth-planner'],
  ['/app/berth-planner/development/container-registry', 'berth-planner'],
  ['/app/berth-planner/development/secret-group', 'berth-planner'],
  ['/app/berth-planner/development/secret-group?view=compare', 'berth-planner'],
  ['/app/berth-planner/settings', 'berth-planner'],
  ['/app/berth-planner/development/new-secret-group', 'New secret group'],
  ['/app/berth-planner/development/secret-group/does-not-exist', /no secret group/],
  ['/app/berth-planner/development/new-service', /service/i],
  [service, 'berth-planner'],
  [`${service}/pipelines`, 'berth-planner'],
  [`${service}/secret-manager`, 'berth-planner'],
  [`${service}/settings`, 'berth-planner'],
  [`${service}/revision/berth-planner-2`, 'berth-planner-2'],
  ['/pipelines', 'Pipelines'],
  ['/me/tokens', /token/i],
  ['/platform/keys', 'Keys'],
  ['/app/does-not-exist', /./],
  ['/nowhere', /./],
];

const check = async (page: Page): Promise<void> => {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual([]);
};

/** The demo's apps are made after the start: their screens are looked at once they are there. */
const demoIsMade = async (page: Page): Promise<void> => {
  await page.goto(`${service}/revision/berth-planner-2`);
  await expect(page.getByRole('heading', { level: 1, name: 'berth-planner-2' })).toBeVisible({ timeout: 40_000 });
};

test('axe finds nothing on any screen @themes', async ({ page }) => {
  test.setTimeout(240_000);
  await signIn(page);
  await demoIsMade(page);
  for (const [path, heading] of screens) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1, name: heading }).first()).toBeVisible();
      await page.waitForLoadState('load');
      await check(page);
    });
  }
});

test('nothing scrolls sideways at 360 pixels', async ({ page }) => {
  test.setTimeout(180_000);
  await page.setViewportSize({ width: 360, height: 780 });
  await signIn(page);
  await demoIsMade(page);
  for (const [path, heading] of screens) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1, name: heading }).first()).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    });
  }
});

test('the sign-in page has no violation @themes', async ({ page }) => {
  await page.goto(process.env['SLIPWAY_DEMO_LINK'] ?? '');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await check(page);
});
