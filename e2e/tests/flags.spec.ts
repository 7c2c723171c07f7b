/** Feature flags: the first flag, a rule, a client key, and GrowthBook's SDK in a page of another origin that gets a change by stream. */
import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { flagKeyList, type FlagKey } from '@slipway/contract/flag/flag-key.ts';
import { expectAccessible } from '../accessible.ts';
import { callApi, origin } from '../api.ts';
import { signIn } from '../sign-in.ts';

const app = 'berth-planner';
const flags = `/app/${app}/development/flags`;
const sdk = readFileSync(
  join(createRequire(import.meta.url).resolve('@growthbook/growthbook/package.json'), '../dist/bundles/index.js'),
  'utf8',
);

test('a flag reaches a page of another origin, and changes there by stream', async ({ page, context }) => {
  await signIn(page);
  await page.goto(flags);
  await page.getByRole('button', { name: 'New flag' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('new-view');
  await page.getByRole('button', { name: 'Create flag' }).click();
  await expect(page).toHaveURL(`${flags}/flag/new-view`);
  await expect(page.getByRole('heading', { name: 'new-view', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Teams').fill('cranes');
  await expectAccessible(page, { hasPopup: true });
  await page.getByRole('button', { name: 'Use this rule' }).click();
  await page.getByRole('button', { name: 'Save for development' }).click();
  await expect(page.getByText('For teams cranes', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save for development' })).toHaveCount(0);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Client keys' }).click();
  await page.getByRole('button', { name: 'New client key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('web');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText('new GrowthBook')).toBeVisible();
  await expectAccessible(page);
  const { content } = await callApi<{ content: FlagKey[] }>(flagKeyList, { params: { app, env: 'development' } });
  const clientKey = content.find(({ name }) => name === 'web')?.clientKey;

  const shop = await context.newPage();
  // A real server: the browser asks for a permission before a page that was made up calls an address of this machine.
  const server = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p id="seen"></p>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await shop.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
  await shop.addScriptTag({ content: sdk });
  await shop.addScriptTag({
    content: `
      const gb = new growthbook.GrowthBook({ apiHost: '${origin}', clientKey: '${clientKey}', attributes: { id: 'mei', teams: ['cranes'] } });
      const show = () => (document.getElementById('seen').textContent = String(gb.isOn('new-view')));
      gb.setRenderer(show);
      gb.init({ streaming: true }).then(show);`,
  });
  await expect(shop.locator('#seen')).toHaveText('true');
  await page.goto(`${flags}/flag/new-view`);
  await page.getByRole('switch', { name: 'On' }).click();
  await page.getByRole('button', { name: 'Save for development' }).click();
  await expect(shop.locator('#seen')).toHaveText('false');

  await shop.close();
  server.close();

  await page.goto(`${flags}/saved-groups`);
  await expect(page.getByText('No saved groups yet')).toBeVisible();
  await expectAccessible(page);
});
