/** A stream by keyboard: one name, one form, one pipeline; what is wrong stands at its field, and the topic's page says what now. */
import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { makeApp } from '../api.ts';
import { signIn } from '../sign-in.ts';

const app = 'tide-streams';
const tab = `/app/${app}/development/events-processing`;
const wide = { width: 1280, height: 720 };
const phone = { width: 360, height: 780 };

/** Without a finding, and without scrolling sideways on a phone. */
const expectFits = async (on: Page): Promise<void> => {
  await expectAccessible(on);
  await on.setViewportSize(phone);
  await expectAccessible(on);
  expect(await on.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await on.setViewportSize(wide);
};

test.beforeAll(async () => {
  expect((await makeApp(app)).status.state).toBe('COMPLETED');
});

test('schema, topic and account in one go: by one name, with the password and a program at the end', async ({ page: on }) => {
  await on.setViewportSize(wide);
  await signIn(on);
  await on.goto(tab);
  await on.getByRole('link', { name: 'New stream' }).first().press('Enter');
  await expect(on.getByRole('heading', { level: 1, name: 'New stream' })).toBeVisible();
  await expect(on.getByLabel('Topic name')).toBeFocused();
  await on.keyboard.type('berthdelays');
  await expect(on.getByLabel('Schema name')).toHaveValue('berthdelays');
  await expect(on.getByLabel('Account name')).toHaveValue('berthdelays');
  await expect(on.getByText('berthdelays is free')).toHaveCount(3);
  await expect(on.getByText('Valid Avro, 1 field')).toBeVisible();
  await on.keyboard.press('Control+Enter');
  await expect(on.getByText('Description is required')).toBeVisible();
  await expect(on.getByLabel('Description')).toBeFocused();
  await expectFits(on);
  await on.getByLabel('Description').focus();
  await on.keyboard.type('A ship will be late');
  await on.keyboard.press('Control+Enter');

  await expect(on.getByRole('heading', { level: 1, name: 'berthdelays' })).toBeVisible();
  await expect(on.getByRole('heading', { name: 'What now' })).toBeVisible();
  await on.getByRole('button', { name: 'Show the password once' }).focus();
  await on.keyboard.press('Enter');
  await expect(on.getByText('Slipway keeps no copy.')).toBeVisible();
  await expect(on.getByRole('button', { name: 'Done' })).toHaveCount(1);
  await expect(on.getByText(`topic: '${app}.berthdelays'`, { exact: false })).toBeVisible();
  await expectFits(on);

  await on.getByRole('button', { name: 'Copy command' }).first().press('Enter');
  // The one puts the password away, and the next what to do now; the focus stays on the page.
  for (const gone of ['Slipway keeps no copy.', 'What now']) {
    await on.getByRole('button', { name: 'Done' }).press('Enter');
    await expect(on.getByText(gone)).toHaveCount(0);
    await expect(on.locator('#page-body')).toBeFocused();
  }

  await on.goto(`${tab}/create-stream`);
  await expect(on.getByLabel('Topic name')).toBeFocused();
  await on.keyboard.type('berthdelays');
  await expect(on.getByText('berthdelays is taken')).toHaveCount(3);
});
