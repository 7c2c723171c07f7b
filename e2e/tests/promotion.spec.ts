// @long: lets a part of a promotion fail
/** The way to production by the keyboard alone: the values of secrets, a part that fails, its cause removed, and Continue. */
import { expect, test, type Locator, type Page } from '@playwright/test';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { secretGroupCreate } from '@slipway/contract/secret/secret-group.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { expectAccessible } from '../accessible.ts';
import { adminToken, makeApp, callApi, origin, runApi } from '../api.ts';
import { signIn } from '../sign-in.ts';

const app = 'tide-gate';
const place = { app, env: 'development' };

/** In the mode READONLY, the registry refuses the schema of the topic. */
const setRegistryMode = async (mode: 'READONLY' | 'READWRITE'): Promise<void> => {
  const headers = { authorization: `Bearer ${adminToken()}`, 'content-type': 'application/vnd.schemaregistry.v1+json' };
  const answer = await fetch(`${origin}/schema-registry/production/mode/${app}.levels-value`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ mode }),
  });
  expect(answer.status).toBe(200);
};
const reach = async (page: Page, target: Locator): Promise<void> => {
  await target.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The keyboard does not reach it');
};

test('a promotion fails at a part, and continues once its cause is removed', async ({ page }) => {
  expect((await makeApp(app)).status.state).toBe('COMPLETED');
  const entries = [
    { key: 'TIDE_API_KEY', value: 'of development' },
    { key: 'TIDE_DEBUG', value: '1' },
  ];
  await callApi(secretGroupCreate, { params: place, body: { name: 'tide-api', entries } });
  const content = JSON.stringify({ type: 'record', name: 'Level', fields: [{ name: 'height', type: 'int' }] });
  await runApi(schemaCreate, { params: place, body: { name: 'level', content } });
  const spec = { valueSchema: { resourceId: 'level' } };
  await runApi(topicCreate, { params: place, body: { name: 'levels', description: 'Water levels', spec } });
  await setRegistryMode('READONLY');

  await signIn(page);
  await page.goto(`/app/${app}/development`);
  const promote = page.getByRole('link', { name: 'Promote to production' });
  await reach(page, promote);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: `Promote ${app}` })).toBeVisible();
  await expect(page.getByText(`Makes the service ${app} in production.`)).toBeVisible();
  await expectAccessible(page);

  await reach(page, page.getByRole('checkbox', { name: 'Promote tide-api, TIDE_DEBUG' }));
  await page.keyboard.press('Space');
  await expect(page.getByLabel('TIDE_DEBUG in production')).toHaveCount(0);
  await page.keyboard.press('Control+Enter');
  const value = page.getByLabel('TIDE_API_KEY in production');
  await expect(value).toBeFocused();
  await page.keyboard.type('of production');
  await page.keyboard.press('Control+Enter');

  const latest = page.getByRole('region', { name: 'Last promotion failed' });
  await expect(latest).toBeVisible();
  await expect(latest.getByRole('listitem').filter({ hasText: 'levels' })).toContainText('Failed');
  await expect(latest.getByRole('listitem').filter({ hasText: `Service ${app}` })).toContainText('Not started');
  await expect(latest).toBeFocused();
  await expectAccessible(page);

  await setRegistryMode('READWRITE');
  await reach(page, page.getByRole('button', { name: 'Continue' }));
  await page.keyboard.press('Enter');
  const done = page.getByRole('region', { name: 'Last promotion', exact: true });
  await expect(done).toBeFocused();
  await expect(done.getByText('Promoted')).toHaveCount(4);
  // Only the key that was left out still differs.
  await expect(page.getByRole('table', { name: 'What differs' }).getByRole('checkbox')).toHaveCount(1);
  await expectAccessible(page);
});
