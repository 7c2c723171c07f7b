/** The main job, as an engineer does it: from the sign-in to a running app with a URL. */
import { expect, test, type Page } from '@playwright/test';
import { askService } from '../edge.ts';
import { signIn } from '../sign-in.ts';

const chooseTeam = async (page: Page, name: string): Promise<void> => {
  const team = page.getByLabel('Team', { exact: true });
  if ((await team.textContent())?.includes(name)) return;
  await team.click();
  await page.getByRole('option', { name: new RegExp(name) }).click();
};

test('New App, Quickstart, watch it, open the URL', async ({ page }) => {
  await signIn(page);
  await page.getByRole('link', { name: 'New App' }).first().click();
  await page.getByRole('link', { name: 'Start from a template' }).click();
  await page.getByLabel('App name').fill('yard-planner');
  await expect(page.getByText('yard-planner is free')).toBeVisible();
  await chooseTeam(page, 'Terminal Operations');
  const startedAt = Date.now();
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByRole('heading', { name: 'yard-planner is running' })).toBeVisible();
  const url = await page
    .getByRole('link', { name: /yard-planner\.yard-planner\.development\.localhost/ })
    .first()
    .getAttribute('href');
  expect((await askService(url ?? '')).status).toBe(200);
  test.info().annotations.push({ type: 'figure', description: `${Date.now() - startedAt} ms from the click to the answer of the URL` });
});

test('a taken name is reported at its field, and nothing is lost', async ({ page }) => {
  await signIn(page);
  await page.goto('/new-app/quickstart');
  await page.getByLabel('App name').fill('berth-planner');
  await page.getByLabel(/Display name/).fill('Another berth planner');
  await chooseTeam(page, 'Terminal Operations');
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByText('Application already exists').first()).toBeVisible();
  await expect(page.getByLabel('App name')).toBeFocused();
  await expect(page.getByLabel(/Display name/)).toHaveValue('Another berth planner');
});

test('the keyboard alone creates an app with a database and a stream, ready to clone', async ({ page }) => {
  await signIn(page, 'Sofía Marín');
  await page.goto('/new-app/quickstart');
  const name = page.getByLabel('App name');
  await expect(name).toBeVisible();
  const reach = async (target: typeof name) => {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error('The keyboard does not reach it');
  };
  await reach(name);
  await page.keyboard.type('rate-cards');
  const team = page.getByLabel('Team', { exact: true });
  if ((await team.textContent())?.includes('Commercial Finance') === false) {
    await reach(team);
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /Commercial Finance/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  }
  for (const part of [/A PostgreSQL database/, /A Kafka topic/]) {
    await reach(page.getByRole('checkbox', { name: part }));
    await page.keyboard.press('Space');
  }
  await reach(page.getByRole('button', { name: 'Create app' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'rate-cards is running' })).toBeVisible();
  const url = page.getByRole('link', { name: /rate-cards\.rate-cards\.development\.localhost/ }).first();
  expect((await askService((await url.getAttribute('href')) ?? '')).status).toBe(200);
  const clone = page.getByText(/^git clone http\S+\/git\/rate-cards\/rate-cards\.git$/);
  await expect(clone).toBeVisible();
  await reach(page.getByRole('button', { name: 'Create a token for this line' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^git clone http:\/\/git:\S+@\S+\/git\/rate-cards\/rate-cards\.git$/)).toBeVisible();
});
