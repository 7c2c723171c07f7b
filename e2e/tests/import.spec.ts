/** An import in the browser: from the file over the preview and a corrected column to the entries and the result. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { signIn } from '../sign-in.ts';

const description = 'Counts the containers that wait at each gate of the terminal.';
const file = [
  'App,What it is for,Owner,platform',
  `Gate Counter,${description},ingrid.solheim@norrland-line.example,Terminal Operations`,
  `Gate Ghost,${description},nobody@slipway.example,Terminal Operations`,
  'Gate Short,Too short,ingrid.solheim@norrland-line.example,Terminal Operations',
].join('\n');

test('a file becomes entries, and each refused line says its reason', async ({ page }) => {
  await signIn(page, 'Kwame Boateng');
  await page.goto('/catalogue/imports');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import a file' }).first().click();
  await (await chooser).setFiles({ name: 'gates.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await expect(page.getByRole('heading', { name: 'gates.csv', level: 1 })).toBeVisible();
  await expect(page.getByText('Ready to start')).toBeVisible();
  await expect(page.getByText('Name is required').first()).toBeVisible();

  const choose = async (field: string, column: string): Promise<void> => {
    await page.getByRole('combobox', { name: `Column for ${field}`, exact: true }).click();
    await page.getByRole('option', { name: column, exact: true }).click();
  };
  await choose('Name', 'App');
  await choose('Description', 'What it is for');
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(page.getByText('nobody@slipway.example is not in the company directory')).toBeVisible();
  await expect(page.getByText(/needs at least 20 characters/)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await expect(page.getByText('Done', { exact: true })).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download result' }).click();
  const result = readFileSync(await (await download).path(), 'utf8');
  expect(result).toMatch(/^2,CREATE,MAC-\d+,.*Gate Counter/m);
  expect(result).toContain('3,REFUSED,,,Owner,nobody@slipway.example is not in the company directory,Gate Ghost');

  await page.getByRole('link', { name: 'Gate Counter' }).click();
  await expect(page.getByRole('heading', { name: 'Gate Counter', level: 1 })).toBeVisible();
});
