/** Feature flags: the first flag, a rule, a client key, and GrowthBook's SDKs in pages of another origin that get a change by stream. */
import { expect, test, type BrowserContext, type Page } from '@playwright/test';
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { flagCreate, flagSettingsUpdate } from '@slipway/contract/flag/flag.ts';
import { flagKeyCreate, flagKeyList, type FlagKey } from '@slipway/contract/flag/flag-key.ts';
import { expectAccessible } from '../accessible.ts';
import { callApi, origin } from '../api.ts';
import { signIn } from '../sign-in.ts';

const app = 'berth-planner';
const flags = `/app/${app}/development/flags`;
const sdk = readFileSync(
  join(createRequire(import.meta.url).resolve('@growthbook/growthbook/package.json'), '../dist/bundles/index.js'),
  'utf8',
);

/** A page of another origin, from a real server: the browser asks for a permission before a made-up page calls an address of this machine. */
const openShop = async (context: BrowserContext): Promise<{ shop: Page; close: () => Promise<void> }> => {
  const shop = await context.newPage();
  const server = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p id="seen"></p>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await shop.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
  const close = async () => {
    await shop.close();
    server.close();
  };
  return { shop, close };
};

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

  const { shop, close } = await openShop(context);
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

  await close();

  await page.goto(`${flags}/saved-groups`);
  await expect(page.getByText('No saved groups yet')).toBeVisible();
  await expectAccessible(page);
});

test('the program for React works as the console shows it', async ({ page, context }) => {
  const place = { app, env: 'production' };
  await callApi(flagCreate, { params: place, body: { name: 'my-flag' } });
  const rules = [{ id: 'team', effect: 'SERVE', teams: ['cargo-safety'], value: true }];
  await callApi(flagSettingsUpdate, { params: { ...place, flag: 'my-flag' }, body: { basedOn: 1, rules } });
  await callApi<FlagKey>(flagKeyCreate, { params: place, body: { name: 'shop', mode: 'ENCRYPTED' } });
  await signIn(page);
  await page.goto(`/app/${app}/production/flags/client-keys`);
  await page.getByText('React', { exact: true }).click();
  const program = await page.locator('pre', { hasText: 'GrowthBookProvider' }).innerText();
  const around = `import { createRoot } from 'react-dom/client';
const root = createRoot(document.getElementById('seen'));
const NewPage = () => 'new page';
const OldPage = () => 'old page';`;
  const { outputFiles } = await build({
    stdin: { contents: `${around}\n${program}`, loader: 'tsx', resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  const { shop, close } = await openShop(context);
  await shop.addScriptTag({ type: 'module', content: outputFiles[0]?.text ?? '' });
  await expect(shop.locator('#seen')).toHaveText('new page');
  await callApi(flagSettingsUpdate, { params: { ...place, flag: 'my-flag' }, body: { basedOn: 2, rules: [] } });
  await expect(shop.locator('#seen')).toHaveText('old page');
  await close();
});
