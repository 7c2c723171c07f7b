// @long: its tests build on one another
/** The container registry of an app, area by area: images, one image, robot accounts, webhooks, policy. */
import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { makeApp, origin } from '../api.ts';
import { pushImage } from '../push-image.ts';
import { signIn } from '../sign-in.ts';

/** A worker that begins anew after a failure makes an app of its own. */
const app = `quay-images-${process.env['TEST_WORKER_INDEX'] ?? '0'}`;
const tools = `${app}-tools`;
const registry = `/app/${app}/development/container-registry`;

test.beforeAll(async () => {
  test.setTimeout(300_000);
  await makeApp(app);
  for (const tag of ['1.0.0', '1.1.0']) await pushImage({ app, from: app, to: tools, tag });
});

/** In both themes, and as wide as a phone. */
const expectGood = async (page: Page): Promise<void> => {
  const wide = page.viewportSize() ?? { width: 1280, height: 720 };
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize(wide);
};
const menuOf = async (page: Page, of: string): Promise<void> => page.getByRole('button', { name: `More actions for ${of}` }).click();
const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'));

test('images: what runs cannot be deleted, the rest can', async ({ page }) => {
  await signIn(page);
  await page.goto(registry);
  await expect(page).toHaveURL(`${registry}/repositories`);
  const repositories = page.getByRole('navigation', { name: 'Repositories' });
  await expect(repositories.getByRole('link')).toHaveCount(2);
  const running = page.getByRole('table', { name: `Tags of ${app}` }).getByRole('row', { name: /Revision 1/ });
  await expect(running).toBeVisible();
  await expectGood(page);

  await running.getByRole('button', { name: /More actions/ }).click();
  const remove = page.getByRole('menuitem', { name: /Delete tag/ });
  await expect(remove).toContainText(`${app}-1 runs it in development`);
  await expect(remove).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');

  const tag = (name: string) => page.getByRole('table', { name: `Tags of ${tools}` }).getByRole('link', { name });
  await repositories.getByRole('link', { name: tools }).click();
  await expect(page).toHaveURL(`${registry}/repositories/${tools}`);
  await expect(tag('1.1.0')).toBeVisible();
  await menuOf(page, '1.0.0');
  await page.getByRole('menuitem', { name: 'Delete tag' }).click();
  await dialog(page).getByRole('button', { name: 'Delete tag' }).click();
  await expect(tag('1.0.0')).toHaveCount(0);
  await expect(tag('1.1.0')).toBeVisible();

  await page.getByRole('button', { name: 'Push an image' }).click();
  await expect(dialog(page).getByText(new RegExp(`docker push .*/${app}/${tools}:TAG`))).toBeVisible();
  await expectAccessible(page, { hasPopup: true });
});

test('one image: its layers, its scan, and where it runs', async ({ page }) => {
  await signIn(page);
  await page.goto(`${registry}/repositories/${tools}/1.1.0`);
  await expect(page.getByRole('heading', { level: 1, name: '1.1.0' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Layers' }).getByRole('listitem').first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Referrers' })).toContainText('Nothing refers to this image');
  await expect(page.getByRole('region', { name: 'Where it runs and ran' })).toContainText('No revision uses this image');
  await page.getByRole('button', { name: /^Scan (again|now)$/ }).click();
  // A scan ends with what it found or did not look at: never with a silent "clean".
  await expect(
    page.getByRole('table', { name: 'Vulnerabilities' }).or(page.getByText(/^Nothing found( in what was looked at)?$/)),
  ).toBeVisible();
  await expectGood(page);
  const download = page.waitForEvent('download');
  await menuOf(page, '1.1.0');
  await page.getByRole('menuitem', { name: 'Download SBOM' }).click();
  expect((await download).suggestedFilename()).toBe(`${tools}-1.1.0.cdx.json`);

  await page.goto(`${registry}/repositories/${tools}/9.9.9`);
  await expect(page.getByRole('heading', { name: `There is no image ${tools}:9.9.9` })).toBeVisible();
});

const login = (username: string, secret: string): Promise<number> =>
  fetch(`${origin}/v2/token?scope=${encodeURIComponent(`repository:${app}/${app}:pull`)}`, {
    headers: { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` },
  }).then(({ status }) => status);
const username = `robot$${app}+ci-build`;
const shownSecret = async (page: Page): Promise<string> => {
  const shown = page.getByRole('status').filter({ hasText: 'has a new secret' });
  return (await shown.locator('code').first().textContent()) ?? '';
};

test('robot accounts: a secret is shown once, rotated with an overlap, and ends', async ({ page }) => {
  await signIn(page);
  await page.goto(`${registry}/robot-accounts`);
  await page.getByRole('button', { name: 'New robot account' }).click();
  await dialog(page).getByRole('button', { name: 'Create robot account' }).click();
  await expect(dialog(page).getByText('Name is required')).toBeVisible();
  await expectAccessible(page, { hasPopup: true });
  await dialog(page).getByLabel('Name').fill('ci-build');
  await dialog(page).getByRole('radio', { name: 'Pull', exact: true }).check();
  await dialog(page).getByRole('button', { name: 'Create ci-build' }).click();
  const first = await shownSecret(page);
  expect(await login(username, first)).toBe(200);
  await expectGood(page);

  await page.getByRole('button', { name: 'Rotate ci-build' }).click();
  await dialog(page).getByRole('button', { name: 'Rotate', exact: true }).click();
  await expect.poll(() => shownSecret(page)).not.toBe(first);
  const second = await shownSecret(page);
  expect([await login(username, first), await login(username, second)]).toEqual([200, 200]);
  await page.getByRole('button', { name: 'End it now' }).click();
  await dialog(page).getByRole('button', { name: 'End the old secret' }).click();
  await expect.poll(() => login(username, first)).toBe(401);
  expect(await login(username, second)).toBe(200);
  await page.reload();
  await expect(page.getByText(second)).toHaveCount(0);

  await menuOf(page, 'ci-build');
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await dialog(page).getByRole('button', { name: 'Disable ci-build' }).click();
  await expect(page.getByRole('button', { name: 'Enable ci-build' })).toBeVisible();
  await expect.poll(() => login(username, second)).toBe(401);
  await menuOf(page, 'ci-build');
  await page.getByRole('menuitem', { name: 'Delete robot account' }).click();
  await dialog(page).getByRole('button', { name: 'Delete ci-build' }).click();
  await expect(page.getByText('ci-build', { exact: true })).toHaveCount(0);
});

test('webhooks: inside addresses are refused, a test is logged with what became of it', async ({ page }) => {
  await signIn(page);
  await page.goto(`${registry}/webhooks`);
  await expect(page.getByText('No webhooks yet')).toBeVisible();
  await expectGood(page);
  await page.getByRole('button', { name: 'New webhook' }).click();
  await dialog(page).getByLabel('Name').fill('deploy-board');
  await dialog(page).getByLabel('Target URL').fill('http://127.0.0.1:9/hook');
  await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
  await expect(dialog(page).getByText('Event types is required')).toBeVisible();
  await dialog(page).getByLabel('Image pushed').check();
  await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
  await expect(dialog(page).getByText(/127\.0\.0\.1 leads to an address inside the platform/)).toBeVisible();
  await dialog(page).getByLabel('Target URL').fill('https://board.invalid/hook');
  await dialog(page).getByLabel('Authorization header').fill('Bearer salt-water');
  await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByText(/^whsec_/)).toBeVisible();
  await expect(page).toHaveURL(`${registry}/webhooks/deploy-board`);

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page
    .getByRole('button', { name: /delivery/ })
    .first()
    .click();
  await expect(page).toHaveURL(/delivery=/);
  await expect(page.getByLabel('Request as it was sent')).toContainText('set, hidden');
  await expect(page.getByText('salt-water')).toHaveCount(0);
  // What failed stays on screen until it is closed. It is read out at once, and hidden from axe's reader until somebody goes to it.
  await page.getByRole('button', { name: 'Close message', includeHidden: true }).click();
  await expectGood(page);

  await page.getByRole('switch', { name: 'Enabled' }).uncheck();
  await expect(page.getByRole('switch', { name: 'Disabled' })).not.toBeChecked();
  await menuOf(page, 'deploy-board');
  await page.getByRole('menuitem', { name: 'Delete webhook' }).click();
  await dialog(page).getByRole('button', { name: 'Delete deploy-board' }).click();
  await expect(page.getByText('No webhooks yet')).toBeVisible();
});

test('the policy: shown before it is saved, closed while it is applied; a project in use stays', async ({ page }) => {
  await signIn(page);
  await page.goto(`${registry}/policy`);
  await expect(page.getByText(/it stops:/)).toBeVisible();
  await expectGood(page);
  await page.getByRole('switch', { name: 'Public' }).check();
  await expect(page.getByText(/can then be read by everyone/)).toBeVisible();
  await page.getByRole('button', { name: 'Allow one' }).click();
  await dialog(page).getByRole('textbox', { name: 'Vulnerability' }).fill('CVE-2026-30255');
  await dialog(page).getByLabel('Reason').fill('No XML is read by this service');
  await dialog(page).getByRole('button', { name: 'Allow it' }).click();
  await expect(page.getByText('2 changes')).toBeVisible();
  await page.getByRole('button', { name: 'Save policy' }).click();
  // Saved, whoever looks: the page is read anew.
  await expect(page.getByText('The registry policy is applied')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('switch', { name: 'Public' })).toBeChecked();
  await expect(page.getByRole('row', { name: /CVE-2026-30255.*No XML is read by this service/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete project' })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('Project is in use and cannot be deleted')).toBeVisible();
});

test('a stranger sees nothing of it, and whom to ask', async ({ page }) => {
  await signIn(page, 'Sofía Marín');
  await page.goto(registry);
  await expect(page.getByText('The registry is for members of the team')).toBeVisible();
  await expect(page.getByText(tools)).toHaveCount(0);
});
