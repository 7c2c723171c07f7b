/** Signing in: the printed link, the key that stays in the browser, and what stolen cookies are worth without it. */
import { expect, test, type Page } from '@playwright/test';
import { signIn } from '../sign-in.ts';

/** Returns every cookie of the browser. The browser sends at most these to a program on another port of the same host. */
const cookiesOf = async (page: Page): Promise<string> =>
  (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');

test('the printed link asks for a click, then who one is, and the way back leads to the page', async ({ page }) => {
  await page.goto('/me/tokens');
  await expect(page.getByRole('heading', { name: 'Enter the demo code' })).toBeVisible();
  await expect(page.getByLabel('Code')).toHaveValue('');
  await page.goto(process.env['SLIPWAY_DEMO_LINK'] ?? '');
  await expect(page.getByLabel('Code')).toHaveValue(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /Ingrid Solheim/ }).click();
  await page.waitForURL((url) => url.pathname === '/' && url.hash === '');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('cookies that are replayed by another program sign nobody in, while the browser itself is signed in silently', async ({
  page,
  baseURL,
}) => {
  await signIn(page, 'Kwame Boateng');
  const headers = { cookie: await cookiesOf(page), accept: 'text/html' };
  const attempt = new URL('/oidc/slipway/auth', baseURL);
  attempt.search = new URLSearchParams({
    client_id: 'slipway-console',
    redirect_uri: `${baseURL}/`,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'stolen',
    prompt: 'none',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString();
  const answer = await fetch(attempt, { headers, redirect: 'manual' });
  expect(answer.headers.get('location')).toContain('error=login_required');
  // The tokens gone, the session and the key there: the console is let in without a question.
  await page.evaluate(() => localStorage.clear());
  await page.goto('/me/tokens');
  await expect(page.getByRole('heading', { level: 1, name: 'API tokens' })).toBeVisible();
});

test('the key of the browser cannot be read, and its tokens are refreshed with it', async ({ page }) => {
  await signIn(page);
  const isReadable = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const open = indexedDB.open('oidc');
      open.onsuccess = () => resolve(open.result);
      open.onerror = () => reject(open.error ?? new Error('no database'));
    });
    const kept = await new Promise<{ keys: CryptoKeyPair }[]>((resolve) => {
      const all = database.transaction('dpop').objectStore('dpop').getAll();
      all.onsuccess = () => resolve(all.result as { keys: CryptoKeyPair }[]);
    });
    return kept.map(({ keys }) => keys.privateKey.extractable);
  });
  expect(isReadable).toEqual([false]);
  const refreshed = page.waitForResponse((response) => response.url().endsWith('/oidc/slipway/token'));
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage).filter((key) => key.startsWith('oidc.user:'))) {
      const user = JSON.parse(localStorage.getItem(name) ?? '{}') as Record<string, unknown>;
      localStorage.setItem(name, JSON.stringify({ ...user, expires_at: Math.floor(Date.now() / 1000) + 60 }));
    }
  });
  await page.reload();
  expect((await refreshed).status()).toBe(200);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('after signing out the old access token is worth nothing, and another person signs in without the code', async ({ page, baseURL }) => {
  await signIn(page);
  const token = await page.evaluate(() => {
    const name = Object.keys(localStorage).find((key) => key.startsWith('oidc.user:')) ?? '';
    return (JSON.parse(localStorage.getItem(name) ?? '{}') as { access_token: string }).access_token;
  });
  const status = async () => (await fetch(new URL('/api/v1/me', baseURL), { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  await page
    .getByRole('button', { name: /Ingrid Solheim/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in as' })).toBeVisible();
  expect(await status()).toBe(401);
  await page.getByRole('button', { name: /Rahul Deshmukh/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test(
  'signing out everywhere ends the other browsers, and shows what tokens were made with',
  { tag: '@long' },
  async ({ page, browser }) => {
    const other = await (await browser.newContext()).newPage();
    await signIn(page);
    await signIn(other);
    await page.goto('/me/tokens');
    const made = await page.evaluate(async () => {
      const name = Object.keys(localStorage).find((key) => key.startsWith('oidc.user:')) ?? '';
      const { access_token } = JSON.parse(localStorage.getItem(name) ?? '{}') as { access_token: string };
      const create = async (bearer: string, tokenName: string) => {
        const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ name: tokenName, scopes: ['read', 'write'], expiresInDays: 2 });
        return ((await (await fetch('/api/v1/me/tokens', { method: 'POST', headers, body })).json()) as { token: string }).token;
      };
      return create(await create(access_token, 'Parent of CI'), 'Child of CI');
    });
    expect(made).toMatch(/^slw_/);
    await page.reload();
    await expect(page.getByRole('row', { name: /Child of CI/ })).toContainText('the token Parent of CI');
    await expect(page.getByRole('row', { name: /^Parent of CI/ })).toContainText('sign-in');
    await page
      .getByRole('button', { name: /Ingrid Solheim/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in as' })).toBeVisible();
    // It notices by itself, though not within the seconds after its own sign-in: that could go round in circles.
    await expect(other.getByRole('heading', { name: 'Sign in as' })).toBeVisible();
    await other.context().close();
  },
);
