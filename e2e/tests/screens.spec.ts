// @long: looks at every screen
/** Every screen in both themes: it shows what it is, axe finds nothing, and nothing scrolls sideways on a phone. */
import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { signIn } from '../sign-in.ts';

const service = '/app/berth-planner/development/service/berth-planner';
const screens: readonly (readonly [path: string, heading: string | RegExp])[] = [
  ['/my-apps', 'Apps'],
  ['/all-apps', 'Apps'],
  ['/all-apps?query=nothing-like-this', 'Apps'],
  ['/my-teams', 'Teams'],
  ['/all-teams', 'Teams'],
  ['/team/terminal-operations', 'Terminal Operations'],
  ['/new-team', /team/i],
  ['/new-app', /app/i],
  ['/new-app/quickstart', 'Quickstart'],
  ['/new-app/blank', /app/i],
  ['/new-app/catalogue', /catalog/i],
  ['/catalogue', /catalog/i],
  ['/catalogue/new', /onboard an application/i],
  ['/catalogue/applications/MAC-10017', /berth planner/i],
  ['/catalogue/labels', /catalog/i],
  ['/catalogue/imports', /catalog/i],
  ['/catalogue/imports/does-not-exist', /import/i],
  ['/catalogue/tree', /catalog/i],
  ['/catalogue/approvers', /catalog/i],
  ['/catalogue/options', /catalog/i],
  ['/app/berth-planner', 'berth-planner'],
  ['/app/berth-planner/production', 'berth-planner'],
  ['/app/berth-planner/development/activity-logs', 'berth-planner'],
  ['/app/berth-planner/development/map', 'berth-planner'],
  ['/app/berth-planner/development/map?view=table', 'berth-planner'],
  ['/team/terminal-operations?tab=map&env=development', 'Terminal Operations'],
  ['/app/berth-planner/development/container-registry', 'berth-planner'],
  ['/app/berth-planner/development/flags', 'berth-planner'],
  ['/app/berth-planner/development/flags/client-keys', 'berth-planner'],
  ['/app/berth-planner/development/flags/saved-groups', 'berth-planner'],
  ['/app/berth-planner/development/secret-group', 'berth-planner'],
  ['/app/berth-planner/development/secret-group?view=compare', 'berth-planner'],
  ['/app/berth-planner/settings', 'berth-planner'],
  ['/app/berth-planner/promote', 'Promote berth-planner'],
  ['/app/berth-planner/development/new-secret-group', 'New secret group'],
  ['/app/berth-planner/development/secret-group/does-not-exist', /no secret group/],
  ['/app/berth-planner/development/database', 'berth-planner'],
  ['/app/berth-planner/development/new-database', 'New database'],
  ['/app/berth-planner/development/database/doesnotexist', /no database/],
  ['/app/berth-planner/development/monitoring', 'berth-planner'],
  ['/app/berth-planner/development/new-monitor', 'New browser monitor'],
  ['/app/berth-planner/development/monitoring/doesnotexist', /no browser monitor/],
  ['/app/berth-planner/development/events-processing', 'berth-planner'],
  ['/app/berth-planner/development/events-processing/schemas', 'berth-planner'],
  ['/app/berth-planner/development/events-processing/create-topic', 'New topic'],
  ['/app/berth-planner/development/events-processing/create-schema', 'New schema'],
  ['/app/berth-planner/development/events-processing/topics/doesnotexist', /no topic/],
  ['/app/berth-planner/development/events-processing/schemas/doesnotexist', /no schema/],
  ['/app/berth-planner/development/new-service', /service/i],
  [service, 'berth-planner'],
  [`${service}/pipelines`, 'berth-planner'],
  [`${service}/secret-manager`, 'berth-planner'],
  [`${service}/settings`, 'berth-planner'],
  [`${service}/revision/berth-planner-2`, 'berth-planner-2'],
  ['/pipelines', 'Pipelines'],
  ['/me/tokens', /token/i],
  ['/notifications', 'Notifications'],
  ['/team/terminal-operations/notifications', 'Terminal Operations'],
  ['/notifications?tab=settings', 'Notifications'],
  ['/', 'Home'],
  ['/platform/keys', 'Keys'],
  ['/platform/health', 'Platform health'],
  ['/operations', 'Operations'],
  ['/platform/audit', 'Audit log'],
  ['/platform/settings', 'Platform settings'],
  ['/platform/freeze-windows', 'Freeze windows'],
  ['/app/does-not-exist', /./],
  ['/nowhere', /./],
];

/** The demo's apps are made after the start: their screens are looked at once they are there. */
const demoIsMade = async (page: Page): Promise<void> => {
  await page.goto(`${service}/revision/berth-planner-2`);
  await expect(page.getByRole('heading', { level: 1, name: 'berth-planner-2' })).toBeVisible();
};

test('axe finds nothing on any screen, and nothing scrolls sideways at 360 pixels', async ({ page, viewport }) => {
  await signIn(page);
  await demoIsMade(page);
  for (const [path, heading] of screens) {
    await test.step(path, async () => {
      await page.setViewportSize(viewport ?? { width: 1280, height: 720 });
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1, name: heading }).first()).toBeVisible();
      await page.waitForLoadState('load');
      await expectAccessible(page);
      await page.setViewportSize({ width: 360, height: 780 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    });
  }
});

test('the sign-in page has no violation', async ({ page }) => {
  await page.goto(process.env['SLIPWAY_DEMO_LINK'] ?? '');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page);
});

test('words that nobody can read in the dark alone are found', async ({ page }) => {
  const style = 'body { color-scheme: light dark; color: light-dark(#111, #222); background: light-dark(#fff, #111); }';
  await page.setContent(`<html lang="en"><title>Dark</title><style>${style}</style><main><h1>Hard to read</h1></main></html>`);
  await expect(expectAccessible(page)).rejects.toThrow(/dark: color-contrast/);
});
