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

test('the tree and a dialog are used by the keyboard alone', async ({ page }) => {
  await signIn(page);
  await page.goto('/catalogue/tree');
  // Rows of entries alone: the row shown while entries load cannot have the focus.
  const entries = page.getByRole('treegrid').locator('[data-node]');
  const first = entries.first();
  const child = page.getByRole('treegrid').locator('[data-node][aria-level="2"]').first();
  const name = await first.getByRole('link').innerText();
  await first.focus();
  await page.keyboard.press('ArrowRight');
  await expect(first).toHaveAttribute('aria-expanded', 'true');
  await expect(child).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(child).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(first).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  const opener = page.getByRole('button', { name: /Ask to own it|Change/ }).first();
  await opener.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(opener).toBeFocused();
});
