// @long: its tests build on one another
/** Event streaming in the browser: a schema, a topic, an account and a message, each page without a finding, the forms by keyboard alone. */
import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { signIn } from '../sign-in.ts';

const tab = '/app/berth-planner/development/events-processing';
const page = { width: 1280, height: 720 };
const phone = { width: 360, height: 780 };

/** Without a finding in either theme, and without scrolling sideways on a phone. */
const expectFits = async (on: Page): Promise<void> => {
  await expectAccessible(on);
  await on.setViewportSize(phone);
  await expectAccessible(on);
  expect(await on.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width);
  await on.setViewportSize(page);
};
const heading = (on: Page, name: string) => on.getByRole('heading', { level: 1, name });

test('schema, topic, account, message: made by keyboard, and every page is accessible', async ({ page: on }) => {
  await on.setViewportSize(page);
  await signIn(on);

  await test.step('a schema, with the verdict beside it', async () => {
    await on.goto(`${tab}/schemas`);
    await expect(on.getByText('No schemas found')).toBeVisible();
    await expectFits(on);
    await on.goto(`${tab}/create-schema`);
    await expect(on.getByText('Valid Avro, 1 field')).toBeVisible();
    await on.keyboard.type('berthevent');
    await expect(on.getByText('berthevent is free')).toBeVisible();
    await expectFits(on);
    await on.getByLabel('Schema name').press('Control+Enter');
    await expect(heading(on, 'berthevent')).toBeVisible();
    await expect(on.getByText('The same as version 1')).toBeVisible();
    await expectFits(on);
  });

  await test.step('a topic with it', async () => {
    await on.getByRole('link', { name: 'New topic with it' }).click();
    await expect(on.getByLabel('Name', { exact: true })).toBeFocused();
    await on.keyboard.type('berthevents');
    await on.getByLabel('Name', { exact: true }).press('Control+Enter');
    await expect(on.getByText('Description is required')).toBeVisible();
    await expectFits(on);
    await on.getByLabel('Description').fill('A berth is planned or taken');
    await on.getByLabel('Description').press('Control+Enter');
    await expect(heading(on, 'berthevents')).toBeVisible();
    await expect(on.getByText('3 of 3')).toBeVisible();
    await expectFits(on);
  });

  await test.step('an account that writes it, whose password is shown once', async () => {
    await on.getByRole('link', { name: 'Connect an account' }).click();
    await expect(on.getByLabel('Account name')).toBeFocused();
    await on.keyboard.type('planner');
    await expectFits(on);
    await on.getByLabel('Account name').press('Control+Enter');
    await expect(heading(on, 'planner')).toBeVisible();
    await on.getByRole('button', { name: 'Show the password once' }).click();
    await expect(on.getByText('Slipway keeps no copy.')).toBeVisible();
    await expect(on.getByText('The cluster has exactly these')).toBeVisible();
    await expectFits(on);
    await on.getByRole('button', { name: 'Done' }).click();
    await on.getByRole('button', { name: 'Close without copying' }).click();
    await on.getByRole('button', { name: 'Rotate' }).click();
    await expect(on.getByRole('dialog').getByText('With overlap of 1 hour')).toBeVisible();
    await expectAccessible(on, { hasPopup: true });
    await on.keyboard.press('Escape');
  });

  await test.step('a test message, produced and read', async () => {
    await on.goto(`${tab}/topics/berthevents/messages`);
    await expect(on.getByText('No messages')).toBeVisible();
    await on.getByRole('button', { name: 'Produce test message' }).click();
    await on.getByRole('button', { name: 'Fill from the schema' }).click();
    await on.getByRole('button', { name: 'Produce message' }).click();
    await expect(on.getByText('Message produced')).toBeVisible();
    await expect(on.getByRole('table', { name: 'Messages' }).getByText('test', { exact: true })).toBeVisible();
    await on.getByRole('button', { name: 'Close', exact: true }).click();
    await on.getByRole('heading', { level: 1 }).click();
    await on.keyboard.press('j');
    await expect(on.getByRole('heading', { name: /^Partition \d, offset 0$/ })).toBeVisible();
    await expectFits(on);
  });

  await test.step('a breaking change is named before it is saved, and a sound one is saved', async () => {
    await on.goto(`${tab}/schemas/berthevent`);
    const editor = on.getByRole('textbox', { name: 'Schema content, version 2' });
    const write = async (fields: string): Promise<void> => {
      await editor.click();
      await on.keyboard.press('Control+A');
      await on.keyboard.insertText(`{"type":"record","name":"Event","fields":[{"name":"id","type":"string"}${fields}]}`);
    };
    await write(',{"name":"berth","type":"string"}');
    await expect(on.getByText('1 breaking change')).toBeVisible();
    await expectFits(on);
    await write(',{"name":"berth","type":"string","default":""}');
    await expect(on.getByText('Compatible with version 1')).toBeVisible();
    await on.getByRole('button', { name: 'Save version 2' }).click();
    await expect(on.getByText('Schema updated successfully')).toBeVisible();
    await expect(on.getByRole('table', { name: 'Version 1 against version 2' })).toBeVisible();
  });

  await test.step('the lists, and what a topic that is deleted says', async () => {
    for (const part of ['', '/accounts', '/requests']) {
      await on.goto(tab + part);
      await on.waitForLoadState('load');
      await expect(on.getByRole('navigation', { name: 'Events processing' })).toBeVisible();
      await expectFits(on);
    }
    await on.goto(`${tab}/topics/berthevents`);
    await on.getByRole('button', { name: 'Delete topic' }).click();
    const dialog = on.getByRole('alertdialog');
    await expect(dialog.getByText('berth-planner.planner', { exact: false })).toBeVisible();
    await dialog.getByRole('textbox').fill('berthevents');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(on.getByText('Topic deleted successfully')).toBeVisible();
  });
});

test('a stranger reads definitions, and no messages and no accounts', async ({ page: on }) => {
  await signIn(on, 'Sofía Marín');
  await on.goto(`${tab}/schemas/berthevent`);
  await expect(heading(on, 'berthevent')).toBeVisible();
  await expect(on.getByRole('button', { name: 'Delete schema' })).toHaveCount(0);
  await on.goto(`${tab}/accounts`);
  await expect(on.getByText('Accounts are for members of the team')).toBeVisible();
});
