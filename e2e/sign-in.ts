/** Signs a demo person in as a browser does it: by the printed link, then by choosing who one is. */
import type { Page } from '@playwright/test';

export const signIn = async (page: Page, person = 'Ingrid Solheim'): Promise<void> => {
  const link = process.env['SLIPWAY_DEMO_LINK'];
  if (!link) throw new Error('The server printed no link');
  await page.goto(link);
  await page.getByRole('button', { name: new RegExp(person) }).click();
  // On a phone the main navigation is folded: the first page's title is there at every width.
  await page.waitForURL((url) => !url.pathname.startsWith('/oidc'));
  await page.getByRole('heading', { level: 1 }).waitFor();
};
