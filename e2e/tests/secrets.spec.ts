/** A secret's way: made, attached, read by the next revision, revealed with a reason, refused to a stranger. */
import { expect, test } from '@playwright/test';
import { signIn } from '../sign-in.ts';

const app = '/app/tariff-engine/development';

test('a group is made, attached, and named by the revision that reads it', async ({ page }) => {
  await signIn(page, 'Sofía Marín');
  await page.goto(`${app}/service/tariff-engine`);
  await expect(page.getByText('Healthy').first()).toBeVisible();

  await page.goto(`${app}/new-secret-group`);
  await page.getByRole('button', { name: 'Create secret group' }).click();
  await expect(page.getByText('Name is required').first()).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill('tariff-db');
  await page.getByLabel('Key 1', { exact: true }).fill('DB_PASSWORD');
  await page.getByPlaceholder('Value').first().fill('salt-water-and-brass');
  await page.getByRole('button', { name: 'Create secret group' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'tariff-db' })).toBeVisible();
  await expect(page.getByText('salt-water-and-brass')).toHaveCount(0);

  await page.goto(`${app}/service/tariff-engine/secret-manager`);
  await page.getByRole('button', { name: 'Attach a group' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').first().click();
  await page.getByRole('option', { name: /tariff-db/ }).click();
  await dialog.getByRole('button', { name: /^Attach/ }).click();
  await expect(page.getByRole('link', { name: 'tariff-db' })).toBeVisible();
  await page
    .getByRole('button', { name: /Restart/ })
    .first()
    .click();
  const started = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.status() === 202);
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /Restart/ })
    .click();
  await started;

  await page.goto(`${app}/service/tariff-engine/revision/tariff-engine-2`);
  await expect(page.getByRole('heading', { level: 1, name: 'tariff-engine-2' })).toBeVisible();
  await expect(page.getByText('tariff-db').first()).toBeVisible();
});

test('a value is revealed with a reason, and not without', async ({ page }) => {
  await signIn(page, 'Sofía Marín');
  await page.goto(`${app}/secret-group/tariff-db`);
  await page
    .getByRole('button', { name: /Reveal/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('short');
  await dialog.getByRole('button', { name: 'Reveal for 30 seconds' }).click();
  await expect(dialog.getByText(/^Write at least ten characters/)).toBeVisible();
  await dialog.getByLabel('Reason').fill('The nightly import cannot sign in');
  await dialog.getByRole('button', { name: 'Reveal for 30 seconds' }).click();
  await expect(dialog.getByText('salt-water-and-brass')).toBeVisible();
});

test('a stranger sees no secrets, and whom to ask', async ({ page }) => {
  await signIn(page, 'Ingrid Solheim');
  await page.goto(`${app}/secret-group`);
  await expect(page.getByText('Secrets are for members of the team')).toBeVisible();
  await expect(page.getByText('tariff-db')).toHaveCount(0);
});
