/** The catalog in the browser: somebody asks to own an entry, and onboards another one, which then can be edited while it waits. */
import { expect, test } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { signIn } from '../sign-in.ts';

test('an entry without owners is claimed, and a new one is onboarded and edited', async ({ page }) => {
  await signIn(page);
  await page.goto('/catalogue?query=hazmat');
  await page.getByRole('link', { name: 'Hazmat Manifest' }).click();
  await page
    .getByRole('button', { name: /Ask to own it|Change/ })
    .first()
    .click();
  await expectAccessible(page);
  await page.getByRole('button', { name: /Send the request|Save owners/ }).click();
  await expect(page.getByText(/waits for approval/).first()).toBeVisible();

  await page.goto('/catalogue/new');
  await page.getByRole('button', { name: 'Send for approval' }).click();
  await expect(page.getByText('Name is required')).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill('Mooring Line Checks');
  await page.getByLabel('What it is for').fill('Records the age and the condition of mooring lines in each port.');
  await page.getByLabel('Platform', { exact: true }).click();
  await page.getByRole('option', { name: 'Terminal Operations' }).click();
  await page.getByRole('button', { name: 'Send for approval' }).click();
  await expect(page.getByRole('heading', { name: 'Mooring Line Checks', level: 1 })).toBeVisible();
  await expect(page.getByText('This entry waits for approval.')).toBeVisible();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page
    .getByRole('dialog')
    .getByLabel('What it is for')
    .fill('Records the age of mooring lines in each port, and when they were seen last.');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(
    page
      .getByText('Mooring Line Checks was changed')
      .or(page.getByText(/waits? for approval/))
      .first(),
  ).toBeVisible();
  await expect(page.getByText('when they were seen last')).toBeVisible();
});
