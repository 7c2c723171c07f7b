// @long: its tests build on one another
/** A database's way: created, read through its group, backed up, restored beside, changed, rotated, switched off, deleted by its name. */
import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { signIn } from '../sign-in.ts';

const tab = '/app/berth-planner/development/database';
const page = { width: 1280, height: 720 };
const phone = { width: 360, height: 780 };

/** Without a finding in either theme, and without scrolling sideways on a phone. */
const expectFits = async (on: Page): Promise<void> => {
  await expectAccessible(on);
  await on.setViewportSize(phone);
  await expectAccessible(on);
  expect(await on.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await on.setViewportSize(page);
};
/** In the header: what happens is said there, too. */
const isReady = (on: Page, name: string) =>
  expect(on.getByRole('banner').or(on.locator('header')).filter({ hasText: name }).getByText('Ready', { exact: true })).toBeVisible();
const choose = async (on: Page, item: string | RegExp): Promise<void> => {
  await on
    .getByRole('button', { name: /^More actions for/ })
    .first()
    .click();
  await on.getByRole('menuitem', { name: item }).click();
};

test.describe('a member', () => {
  test.beforeEach(async ({ page: on }) => {
    await on.setViewportSize(page);
    await signIn(on);
  });

  test('a database is created: errors stand at their fields, and its name follows', async ({ page: on }) => {
    await on.goto(tab);
    await expect(on.getByText('Managed PostgreSQL with nightly backups.')).toBeVisible();
    await expectFits(on);
    await on.getByRole('link', { name: 'New database' }).click();
    await on.getByRole('button', { name: 'Create database' }).click();
    await expect(on.getByText('Display name is required')).toBeVisible();
    await on.getByLabel('Display name').fill('Yard moves');
    await expect(on.getByLabel('Database name')).toHaveValue('yardmoves');
    await expect(on.getByText('yardmoves is free')).toBeVisible();
    await on.getByRole('textbox', { name: 'Connections' }).fill('6000');
    await on.getByRole('button', { name: 'Create database' }).click();
    await expect(on.getByText('Maximum Connections of 5000 is required')).toBeVisible();
    await on.getByRole('textbox', { name: 'Connections' }).fill('40');
    await expectFits(on);
    await on.getByRole('button', { name: 'Create database' }).click();
    await expect(on.getByRole('heading', { level: 1, name: 'Yard moves' })).toBeVisible();
    await isReady(on, 'Yard moves');
    await expectFits(on);
  });

  test('its keys are in a secret group that nobody edits, and every page of it is accessible', async ({ page: on }) => {
    await on.goto(`${tab}/yardmoves`);
    await on.getByRole('link', { name: 'berth-planner-yardmoves' }).first().click();
    await expect(on.getByText('Platform, read-only')).toBeVisible();
    await expect(on.getByText('DB_URL', { exact: true })).toBeVisible();
    for (const part of ['slow-queries', 'backups', 'connect?with=java', 'settings', 'activity-logs']) {
      await test.step(part, async () => {
        await on.goto(`${tab}/yardmoves/${part}`);
        await expect(on.getByRole('heading', { level: 1, name: 'Yard moves' })).toBeVisible();
        await on.waitForLoadState('load');
        await expectFits(on);
      });
    }
  });

  test('it is backed up, and restored beside itself', async ({ page: on }) => {
    await on.goto(`${tab}/yardmoves/backups`);
    await on.getByRole('button', { name: 'Back up now' }).click();
    await expect(on.getByRole('table').getByText('Checked', { exact: true })).toBeVisible();
    await on.getByRole('button', { name: /^Restore/ }).click();
    const dialog = on.getByRole('dialog');
    await expect(dialog.getByLabel('Database name')).toHaveValue('yardmoves2');
    await expectAccessible(on, { hasPopup: true });
    await dialog.getByRole('button', { name: 'Restore into yardmoves2' }).click();
    await expect(on).toHaveURL(/\/database\/yardmoves2$/);
    await isReady(on, 'yardmoves2');
    await on.goto(tab);
    await expect(on.getByRole('row', { name: /yardmoves2/ }).getByText('Ready')).toBeVisible();
    await expectFits(on);
  });

  test('a change is reviewed, applied, and cannot make it smaller', async ({ page: on }) => {
    await on.goto(`${tab}/yardmoves/settings`);
    await on.getByRole('radio', { name: '128' }).check({ force: true });
    await on.getByRole('button', { name: 'Review changes' }).click();
    const dialog = on.getByRole('dialog');
    await expect(dialog.getByText(/128/).first()).toBeVisible();
    await dialog.getByRole('button', { name: 'Apply changes' }).click();
    await expect(on.getByText('It has 128 GB.')).toBeVisible();
    await expect(on.getByRole('radio', { name: '64' })).toBeDisabled();
    await isReady(on, 'Yard moves');
  });

  test('its credentials rotate with an overlap, which can be ended', async ({ page: on }) => {
    await on.goto(`${tab}/yardmoves`);
    await isReady(on, 'Yard moves');
    await choose(on, 'Rotate credentials');
    await expectAccessible(on, { hasPopup: true });
    await on.getByRole('dialog').getByRole('button', { name: 'Rotate credentials' }).click();
    await expect(on.getByText('The former password works until')).toBeVisible();
    await on.getByRole('button', { name: 'End it now' }).click();
    await on.getByRole('alertdialog').getByRole('button', { name: 'End former password' }).click();
    await expect(on.getByText('The former password works until')).toHaveCount(0);
  });

  test('its read-only login is turned on, shown with a secret group of its own, and turned off', async ({ page: on }) => {
    await on.goto(`${tab}/yardmoves/connect`);
    await expect(on.getByText('psql "$DB_URL"')).toBeVisible();
    await on.getByRole('link', { name: 'Read only' }).click();
    await expect(on.getByText('The read-only login is off')).toBeVisible();
    await expectFits(on);
    await on.getByRole('button', { name: 'Turn on read-only login' }).click();
    await expectAccessible(on, { hasPopup: true });
    await on.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
    await expect(on.getByText('psql "$DB_READ_URL"')).toBeVisible();
    await expect(on.getByRole('link', { name: 'berth-planner-yardmoves-read' })).toBeVisible();
    await expectFits(on);
    await isReady(on, 'Yard moves');
    await choose(on, 'Turn off read-only login');
    await on.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await expect(on.getByText('The read-only login is off')).toBeVisible();
    await isReady(on, 'Yard moves');
  });

  test('it is switched off and on again', async ({ page: on }) => {
    await on.goto(`${tab}/yardmoves`);
    await isReady(on, 'Yard moves');
    await choose(on, 'Deactivate');
    await on.getByRole('button', { name: 'Deactivate Yard moves' }).click();
    await expect(on.getByText('This database is inactive.')).toBeVisible();
    await expectFits(on);
    await on.getByRole('button', { name: 'Activate', exact: true }).click();
    await on.getByRole('button', { name: 'Activate Yard moves' }).click();
    await isReady(on, 'Yard moves');
  });

  test('it is deleted by typing its name, and made again of the backup that stays', async ({ page: on }) => {
    await on.goto(`${tab}/yardmoves`);
    await isReady(on, 'Yard moves');
    await choose(on, 'Delete database');
    const dialog = on.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('yardmoves');
    await expectAccessible(on, { hasPopup: true });
    await dialog.getByRole('button', { name: 'Delete Yard moves' }).click();
    await expect(on).toHaveURL(new RegExp(`${tab}$`));
    await expect(on.getByRole('heading', { name: 'Backups of deleted databases' })).toBeVisible();
    await on.goto(`${tab}/yardmoves`);
    await expect(on.getByRole('heading', { level: 1, name: 'There is no database yardmoves' })).toBeVisible();
    await on.goto(tab);
    // The newest, which the deletion made.
    await expect(on.getByText('Before the deletion')).toBeVisible();
    await on
      .getByRole('button', { name: /^Restore/ })
      .first()
      .click();
    await on.getByRole('dialog').getByRole('button', { name: 'Restore into yardmoves' }).click();
    await expect(on).toHaveURL(new RegExp(`${tab}/yardmoves$`));
    await isReady(on, 'yardmoves');
  });
});

test('a stranger sees no databases, and whom to ask', async ({ page: on }) => {
  await signIn(on, 'Sofía Marín');
  await on.goto(tab);
  await expect(on.getByText('Databases are for members of the team')).toBeVisible();
  await on.goto(`${tab}/yardmoves2`);
  await expect(on.getByText('Databases are for members of the team')).toBeVisible();
});
