/** Accounts and requests between two teams: one promotes and decides, the other asks; each page without a finding, forms by keyboard alone. */
import { applicationCreate, applicationView } from '@slipway/contract/application.ts';
import { teamView } from '@slipway/contract/team.ts';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { expect, test, type Browser, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { callApi, runApi } from '../api.ts';
import { signIn } from '../sign-in.ts';

const page = { width: 1280, height: 720 };
const phone = { width: 360, height: 780 };
const owning = (env: string) => `/app/lighters/${env}/events-processing`;
const asking = (env: string) => `/app/demurrage/${env}/events-processing`;

/** Without a finding in either theme, and without scrolling sideways on a phone. */
const expectFits = async (on: Page): Promise<void> => {
  await expectAccessible(on);
  await on.setViewportSize(phone);
  expect(await on.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await on.setViewportSize(page);
};
const heading = (on: Page, name: string) => on.getByRole('heading', { level: 1, name });
const opened = async (browser: Browser, person: string): Promise<Page> => {
  const on = await (await browser.newContext({ viewport: page, reducedMotion: 'reduce' })).newPage();
  await signIn(on, person);
  return on;
};

/** Apps of their own: what others do with those of the demonstration does not matter here. */
const makeApp = async (id: string, teamId: string): Promise<void> => {
  // The demonstration's teams are made once the server is up.
  await expect(async () => callApi(teamView, { params: { team: teamId } })).toPass();
  await runApi(applicationCreate, { body: { id, displayName: id, teamId } });
};

let ingrid: Page;
let sofia: Page;
test.beforeAll(async ({ browser }) => {
  const params = { app: 'lighters', env: 'development' };
  await makeApp('lighters', 'terminal-operations');
  await makeApp('demurrage', 'commercial-finance');
  const content = JSON.stringify({ type: 'record', name: 'Call', fields: [{ name: 'berth', type: 'string' }] });
  await runApi(schemaCreate, { params, body: { name: 'call', content } });
  const spec = { valueSchema: { resourceId: 'call' }, retentionHours: 48 };
  await runApi(topicCreate, { params, body: { name: 'calls', description: 'A vessel calls at a berth', spec } });
  ingrid = await opened(browser, 'Ingrid Solheim');
  sofia = await opened(browser, 'Sofía Marín');
});
test.afterAll(() => Promise.all([ingrid, sofia].map((one) => one?.context().close())));

test('a topic goes to production with the schema that it lacks there', async () => {
  await ingrid.goto(`${owning('development')}/topics/calls`);
  await ingrid.getByRole('link', { name: 'Promote to production' }).click();
  await expect(heading(ingrid, 'Promote calls to production')).toBeVisible();
  await expect(ingrid.getByText('call is not in production')).toBeVisible();
  await expect(ingrid.getByRole('table', { name: 'What production gets' }).getByText('2 days')).toBeVisible();
  await expectFits(ingrid);
  await ingrid.getByRole('link', { name: 'See what it is' }).click();
  await expect(heading(ingrid, 'Promote call to production')).toBeVisible();
  await expect(ingrid.getByText('New in production').first()).toBeVisible();
  await expectFits(ingrid);
  await ingrid.goBack();
  await ingrid.getByRole('button', { name: 'Promote to production' }).press('Enter');
  await expect(heading(ingrid, 'calls')).toBeVisible();
  await expect(ingrid).toHaveURL(new RegExp(`${owning('production')}/topics/calls$`));
  await expect(ingrid.getByText('calls is in production')).toBeVisible();
});

test('another team asks for it, and learns that nothing is read before somebody answers', async () => {
  await sofia.goto(`${asking('production')}/accounts/new`);
  await sofia.getByLabel('Account name').fill('billing');
  await sofia.getByLabel('Account name').press('Control+Enter');
  await expect(heading(sofia, 'billing')).toBeVisible();
  await sofia.getByRole('button', { name: 'Add a topic' }).click();
  const dialog = sofia.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Topic' }).press('Enter');
  await sofia.getByRole('combobox', { name: 'Search topics' }).fill('calls');
  await sofia.getByRole('option', { name: /lighters\.calls/ }).click();
  await expect(dialog.getByText('The team of lighters is asked first.')).toBeVisible();
  await dialog.getByLabel('Why you need it').fill('Demurrage starts when the vessel is alongside');
  await expectAccessible(sofia, { hasPopup: true });
  await dialog.getByLabel('Why you need it').press('Control+Enter');
  await expect(sofia.getByRole('row', { name: /calls/ }).getByRole('link', { name: 'Asked' })).toBeVisible();
  await sofia.getByLabel('Topic or group').fill('lighters.calls');
  await sofia.getByLabel('Topic or group').press('Enter');
  await expect(sofia.getByText('No, it may not read lighters.calls')).toBeVisible();
  await expect(sofia.getByText('waits for Terminal Operations.')).toBeVisible();
  await expectFits(sofia);
});

test('the owning team finds the request, declines nothing without a reason, and approves', async () => {
  await ingrid.goto(owning('production'));
  await expect(ingrid.getByRole('navigation', { name: 'App' }).getByText('1 request')).toBeVisible();
  await ingrid
    .getByRole('navigation', { name: 'Events processing' })
    .getByRole('link', { name: /Requests/ })
    .click();
  await expectFits(ingrid);
  await ingrid.getByRole('link', { name: /demurrage reads lighters.calls/ }).click();
  await expect(ingrid.getByText('Demurrage starts when the vessel is alongside')).toBeVisible();
  await expect(ingrid.getByText('Does not read it in development')).toBeVisible();
  await ingrid.getByRole('button', { name: 'Reject' }).press('Enter');
  await expect(ingrid.getByText('A rejection needs a reason of at least 10 characters')).toBeVisible();
  await expectFits(ingrid);
  await ingrid.getByLabel('Your reason').fill('Agreed until the nightly file goes');
  await ingrid.getByRole('button', { name: 'Approve' }).press('Enter');
  await expect(ingrid.getByText('Approved by Ingrid Solheim')).toBeVisible();
  await ingrid.getByRole('link', { name: 'Open', exact: true }).click();
  await expect(ingrid.getByText('What taking it back stops')).toBeVisible();
  await expectFits(ingrid);
  await ingrid.goto('/team/terminal-operations?tab=requests&view=decided');
  await expect(ingrid.getByRole('link', { name: /demurrage reads lighters.calls/ })).toBeVisible();
  await expectFits(ingrid);
});

test('the asking team sees who answered; its right works, and its password goes round with an overlap', async () => {
  await sofia.goto(`${asking('production')}/accounts/billing`);
  await expect(sofia.getByText('by Ingrid Solheim')).toBeVisible();
  await sofia.getByLabel('Topic or group').fill('lighters.calls');
  await sofia.getByLabel('Topic or group').press('Enter');
  await expect(sofia.getByText('Yes, it may read lighters.calls')).toBeVisible();
  await expect(sofia.getByText('The cluster has exactly these')).toBeVisible();
  await sofia.getByRole('button', { name: 'Rotate' }).press('Enter');
  const dialog = sofia.getByRole('dialog');
  await expect(dialog.getByText('Into the secret group demurrage-billing-kafka')).toBeVisible();
  await dialog.getByRole('button', { name: 'Rotate password' }).press('Enter');
  await expect(sofia.getByText('Rotating, with overlap')).toBeVisible();
  await expect(sofia.getByText('demurrage.billing~2').first()).toBeVisible();
  await expectFits(sofia);
  await sofia.getByRole('button', { name: 'End the old one now' }).press('Enter');
  await sofia.getByRole('button', { name: 'End the old one', exact: true }).press('Enter');
  await expect(sofia.getByText('Rotating, with overlap')).toHaveCount(0);
  await expect(sofia.getByRole('link', { name: /demurrage-billing-kafka, version 1/ })).toBeVisible();
});

test('what is taken back says why, and a deletion names what stops', async () => {
  await ingrid.goto(`${owning('production')}/requests?view=decided`);
  await ingrid.getByRole('link', { name: /demurrage reads lighters.calls/ }).click();
  await ingrid.getByRole('link', { name: 'Open', exact: true }).click();
  await expect(ingrid.getByText('No group of demurrage.billing', { exact: false })).toBeVisible();
  await ingrid.getByLabel('Reason').fill('The berth moves to another topic');
  await ingrid.getByRole('button', { name: 'Take it back' }).press('Enter');
  await expect(ingrid.locator('header').getByText('Taken back')).toBeVisible();
  await expect(sofia.getByText('The berth moves to another topic', { exact: false })).toBeVisible();
  await sofia.getByRole('button', { name: 'Delete account' }).press('Enter');
  const dialog = sofia.getByRole('alertdialog');
  await expect(dialog.getByText('The secret group demurrage-billing-kafka is gone')).toBeVisible();
  await dialog.getByRole('textbox').fill('billing');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await expect(sofia.getByText('Account deleted successfully')).toBeVisible();
});

test('an account goes to production with a password of its own', async () => {
  await ingrid.goto(`${owning('development')}/accounts/new`);
  await ingrid.getByLabel('Account name').fill('planner');
  await ingrid.getByRole('combobox', { name: 'Topics that it writes' }).press('Enter');
  await ingrid.getByRole('option', { name: /calls/ }).click();
  await ingrid.getByLabel('Account name').press('Control+Enter');
  await expect(ingrid.getByText('The cluster has exactly these')).toBeVisible();
  await ingrid.getByRole('link', { name: 'Promote to production' }).click();
  await expect(ingrid.getByText('It gets a password of its own')).toBeVisible();
  await expect(ingrid.getByText('Own topic, at once')).toBeVisible();
  await expectFits(ingrid);
  await ingrid.getByRole('button', { name: 'Promote to production' }).press('Enter');
  await expect(ingrid.getByText('planner is in production')).toBeVisible();
  await expect(ingrid.getByRole('link', { name: /lighters-planner-kafka, version 1/ })).toBeVisible();
});

test('an app changes to the personal team, and its macId is set once; who is no owner can do neither', async () => {
  await ingrid.goto('/app/lighters/development');
  await ingrid.getByRole('button', { name: 'Change team' }).press('Enter');
  const dialog = ingrid.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Change team' }).press('Enter');
  await expect(dialog.getByText('Team is required')).toBeVisible();
  const box = await dialog.boundingBox();
  expect([box?.width, (box?.height ?? 0) >= 400]).toEqual([400, true]);
  await dialog.getByRole('combobox', { name: 'Team' }).press('Enter');
  await expect(ingrid.getByRole('option').first()).toContainText('Your personal team');
  await expectAccessible(ingrid, { hasPopup: true });
  await ingrid.keyboard.press('Escape');
  await ingrid.keyboard.press('Escape');
  await sofia.goto(`${owning('development')}/create-schema`);
  await expect(sofia.getByRole('button', { name: 'Change team' })).toBeDisabled();
  expect(await callApi(applicationView, { params: { app: 'lighters' } })).toMatchObject({ teamId: 'terminal-operations' });
});
