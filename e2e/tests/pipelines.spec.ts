/** Every pipeline has a page, whatever it is about, and the log is narrowed to what an entry is about. */
import { expect, test } from '@playwright/test';
import { applicationCreate } from '@slipway/contract/application.ts';
import { expectAccessible } from '../accessible.ts';
import { makeApp, runApi } from '../api.ts';
import { signIn } from '../sign-in.ts';

const teamId = 'terminal-operations';

test('the pipeline of an app has a page of its own, with its steps and the way to the app', async ({ page }) => {
  const id = 'paged';
  const run = await runApi(applicationCreate, { body: { id, displayName: id, teamId } });
  await signIn(page);
  await page.goto('/pipelines');
  await page
    .getByRole('row', { name: new RegExp(id) })
    .getByRole('link', { name: 'Create app' })
    .click();
  await expect(page).toHaveURL(`/pipelines/${run.pipelineId}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Create app' })).toBeVisible();
  await expect(page.getByText('Create registry project').first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('main').or(page.locator('body')).getByRole('link', { name: id, exact: true }).first().click();
  await expect(page).toHaveURL(new RegExp(`/app/${id}`));
});

test('a service’s pipeline is found by its id alone; none is not', async ({ page }) => {
  const run = await makeApp('found-by-id');
  await signIn(page);
  await page.goto(`/pipelines/${run.pipelineId}?step=CreateRevision`);
  const address = `/app/found-by-id/development/service/found-by-id/pipeline/${run.pipelineId}?step=CreateRevision`;
  await expect(page).toHaveURL(address);
  await page.goto('/pipelines/pl_none');
  await expect(page.getByRole('heading', { level: 1, name: 'There is no pipeline pl_none' })).toBeVisible();
});

test('the log of a team is narrowed to one app', async ({ page }) => {
  for (const id of ['logged-one', 'logged-two']) await runApi(applicationCreate, { body: { id, displayName: id, teamId } });
  await signIn(page);
  await page.goto(`/team/${teamId}?tab=activity-logs`);
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('About', { exact: true }).click();
  await page.getByRole('option', { name: 'App logged-one' }).click();
  await expect(page).toHaveURL(/subject=app%3Alogged-one/);
  const table = page.getByRole('table', { name: 'Activity logs, newest first' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await expect(table).not.toContainText('logged-two');
});
