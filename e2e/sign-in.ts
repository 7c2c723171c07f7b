/** Signs a demo person in as a browser does it: by the printed link, then by choosing who one is. */
import type { Page } from '@playwright/test';

export const signIn = async (page: Page, person = 'Ingrid Solheim'): Promise<void> => {
  const link = process.env['SLIPWAY_DEMO_LINK'];
  if (!link) throw new Error('The server printed no link');
  await page.goto(link);
  const choice = page.getByRole('button', { name: new RegExp(person) });
  const code = page.getByRole('button', { name: 'Continue' });
  await code.or(choice).first().waitFor();
  // The link has filled the code in; a browser that is remembered is not asked.
  if (await code.isVisible()) await code.click();
  await choice.click();
  // On a phone the main navigation is folded: the first page's title is there at every width.
  await page.waitForURL((url) => !url.pathname.startsWith('/oidc'));
  await page.getByRole('heading', { level: 1 }).waitFor();
};
