/** Signs a demo person in as a browser does it: by the printed link, then by choosing who one is. */
import type { Page } from '@playwright/test';

export const signIn = async (page: Page, person = 'Ingrid Solheim'): Promise<void> => {
  const link = process.env['SLIPWAY_DEMO_LINK'];
  if (!link) throw new Error('The server printed no link');
  await page.goto(link);
  await page.getByRole('button', { name: new RegExp(person) }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
};
