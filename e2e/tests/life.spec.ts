/** Tests the steps after the first deploy: teams, a pipeline that fails and says why, logs, running with a tag, tokens. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { askService } from '../edge.ts';
import { port } from '../ports.ts';
import { signIn } from '../sign-in.ts';

const service = '/app/berth-planner/development/service/berth-planner';

/** A token as a person makes it: on the page, shown once. */
const makeToken = async (page: Page, name: string): Promise<string> => {
  await page.goto('/me/tokens');
  await page
    .getByRole('button', { name: /New token|Create token|New API token/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
  await dialog.getByRole('button', { name: /Create/ }).click();
  const shown = page.getByText(/^slw_[A-Za-z0-9_-]{40,}$/).first();
  await expect(shown).toBeVisible();
  return (await shown.textContent()) ?? '';
};

const git = (folder: string, ...args: string[]): void => {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
  execFileSync('git', ['-c', 'user.name=Ingrid', '-c', 'user.email=ingrid@example.test', ...args], { cwd: folder, env, stdio: 'pipe' });
};

test('a push that crashes fails its pipeline with the reason, and the old revision serves on', async ({ page }) => {
  await signIn(page);
  // The demo deploys it a second time: a push meanwhile would wait for that, and so would this test for the wrong pipeline.
  await expect(async () => {
    await page.goto(`${service}/revision/berth-planner-2`);
    await expect(page.getByText('Healthy').first()).toBeVisible({ timeout: 3000 });
  }).toPass();
  await page.goto(service);
  const url = await page
    .getByRole('link', { name: /berth-planner\.berth-planner\.development/ })
    .first()
    .getAttribute('href');
  const token = await makeToken(page, 'Push from the test');
  const folder = mkdtempSync(join(tmpdir(), 'slipway-push-'));
  try {
    git(folder, 'clone', '--quiet', `http://ingrid:${token}@localhost:${port}/git/berth-planner/berth-planner.git`, '.');
    writeFileSync(join(folder, 'src/main.js'), "throw new Error('the tide table is missing');\n");
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'berth-planner', type: 'module', scripts: { start: 'node src/main.js' } }),
    );
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', 'Lose the tide table');
    git(folder, 'push', '--quiet');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  await page.goto(`${service}/pipelines`);
  await page
    .getByRole('link', { name: /^Build and deploy/ })
    .first()
    .click();
  await expect(page.getByText('Pipeline step "Start instances" failed').first()).toBeVisible();
  await expect(page.getByText(/the tide table is missing/).first()).toBeVisible();
  expect((await askService(url ?? '')).status).toBe(200);
});

test('New Team, members by search, and delete', async ({ page }) => {
  await signIn(page);
  await page.goto('/new-team');
  await page.getByRole('button', { name: 'Create team' }).click();
  await expect(page.getByText('Team code is required')).toBeVisible();
  await page.getByLabel('Team code').fill('tugs');
  await page.getByLabel('Team name').fill('Tugs');
  await page.getByRole('button', { name: 'Create team' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tugs' })).toBeVisible();
  await expect(page.getByText('Ingrid Solheim').first()).toBeVisible();
});

test('a stranger reads the service, but sees no logs and reads why the buttons are off', async ({ page }) => {
  await signIn(page, 'Sofía Marín');
  await page.goto(service);
  await expect(page.getByRole('heading', { level: 1, name: 'berth-planner' })).toBeVisible();
  const run = page.getByRole('button', { name: 'Run pipeline' });
  await expect(run).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText(/Only members of the team|members of the team Terminal Operations/).first()).toBeAttached();
});

test('the theme is kept, without a flash of the other one', async ({ page }) => {
  await signIn(page);
  await page.evaluate(() => localStorage.setItem('theme', 'dark'));
  await page.reload({ waitUntil: 'commit' });
  await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark');
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
});
