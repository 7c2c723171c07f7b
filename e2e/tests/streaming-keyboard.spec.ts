/** Event streaming by the keyboard alone, and on a phone with the longest names: the focus is never lost, and nothing leaves the page. */
import { applicationCreate, applicationView } from '@slipway/contract/application.ts';
import { teamView } from '@slipway/contract/team.ts';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import { topicMessageProduce } from '@slipway/contract/streaming/message.ts';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { expect, test, type Page } from '@playwright/test';
import { adminToken, callApi, origin, runApi } from '../api.ts';
import { signIn } from '../sign-in.ts';

/** As long as the contract lets them be. */
const app = 'an-app-with-a-name-of-forty-letters-xyza';
const longest = (begin: string): string => begin + 'abcdefghijklmnopqrstuvwxyz'.repeat(3).slice(begin.length, 63);
const [schema, topic, account, failed] = ['schema', 'topic', 'account', 'failed'].map(longest) as [string, string, string, string];
const place = { app, env: 'development' };
const tab = `/app/${app}/development/events-processing`;
const phone = { width: 360, height: 780 };

test.beforeAll(async () => {
  // The demonstration's teams are made once the server is up.
  await expect(async () => callApi(teamView, { params: { team: 'terminal-operations' } })).toPass();
  if (await callApi(applicationView, { params: { app } }).catch(() => undefined)) return;
  await runApi(applicationCreate, { body: { id: app, displayName: 'Names as long as they may be', teamId: 'terminal-operations' } });
  const content = JSON.stringify({ type: 'record', name: 'Call', fields: [{ name: 'id', type: 'string' }] });
  await runApi(schemaCreate, { params: place, body: { name: schema, content } });
  const spec = { valueSchema: { resourceId: schema } };
  await runApi(topicCreate, { params: place, body: { name: topic, description: 'A vessel calls '.repeat(30), spec } });
  const topics = [{ resourceId: topic, resourceType: 'TOPIC' }];
  const group = 'calls-kafka';
  await runApi(accountCreate, { params: place, body: { name: account, produceTopics: topics, consumeTopics: topics, secretGroup: group } });
  for (const key of Array.from({ length: 60 }, (_, index) => String(index)))
    await callApi(topicMessageProduce, { params: { ...place, topic }, body: { key, value: { id: key }, partition: 0 } });
  // The registry takes nothing where the topic's subject would be: its pipeline fails.
  const headers = { authorization: `Bearer ${adminToken()}`, 'content-type': 'application/vnd.schemaregistry.v1+json' };
  const mode = `${origin}/schema-registry/development/mode/${app}.${failed}-value`;
  const body = JSON.stringify({ mode: 'READONLY' });
  expect((await fetch(mode, { method: 'PUT', headers, body })).status).toBe(200);
  const refused = await runApi(topicCreate, { params: place, body: { name: failed, description: 'Never made', spec } });
  expect(refused.status.state).toBe('FAILED');
});

test('a message is opened, left and followed by others; more are read; a test message is written', async ({ page: on }) => {
  await signIn(on);
  await on.goto(`${tab}/topics/${topic}/messages`);
  const rows = on.getByRole('table', { name: 'Messages' }).getByRole('button');
  await expect(rows).toHaveCount(50);
  const message = on.getByRole('region', { name: 'Partition 0, offset 59' });
  await rows.first().press('Enter');
  await expect(message).toBeFocused();
  await on.keyboard.press('Escape');
  await expect(rows.first()).toBeFocused();
  await on.keyboard.press('Enter');
  const older = on.getByRole('button', { name: 'Older message' });
  await older.press('Enter');
  await expect(on.getByRole('heading', { name: 'Partition 0, offset 58' })).toBeVisible();
  await expect(older).toBeFocused();
  const newer = on.getByRole('button', { name: 'Newer message' });
  await newer.press('Enter');
  await expect(newer).toHaveAttribute('aria-disabled', 'true');
  await expect(newer).toBeFocused();
  await on.getByRole('button', { name: 'Close message' }).press('Enter');
  await expect(rows.first()).toBeFocused();

  const more = on.getByRole('button', { name: 'Older', exact: true });
  await more.press('Enter');
  await expect(rows).toHaveCount(60);
  await expect(more).toHaveAttribute('aria-disabled', 'true');
  await expect(more).toBeFocused();

  const produce = on.getByRole('button', { name: 'Produce test message' });
  await produce.press('Enter');
  await expect(on.getByRole('form', { name: 'Produce a test message' }).getByRole('textbox').first()).toBeFocused();
  await on.getByRole('button', { name: 'Close', exact: true }).press('Enter');
  await expect(produce).toBeFocused();
});

test('the dialog of a rotation gives the focus back, and keeps it while the button becomes another', async ({ page: on }) => {
  await signIn(on);
  await on.goto(`${tab}/accounts/${account}`);
  const rotate = on.getByRole('button', { name: 'Rotate', exact: true });
  await rotate.press('Enter');
  const dialog = on.getByRole('dialog');
  await expect(dialog.getByRole('radio').first()).toBeFocused();
  await on.keyboard.press('Escape');
  await expect(rotate).toBeFocused();
  await rotate.press('Enter');
  await dialog.getByRole('button', { name: 'Rotate password' }).press('Enter');
  const end = on.getByRole('button', { name: 'End the old one now' });
  await expect(end).toBeVisible();
  await expect(end).toBeFocused();
});

/** Nothing that says something is cut off, on the page or in the dialog over it. */
const expectInside = async (on: Page, path: string): Promise<void> => {
  const wide = await on.evaluate(() => {
    const dialog = document.querySelector('[role="dialog"], [role="alertdialog"]');
    const buttons = [...document.querySelectorAll('button, main a')].filter(
      (button) => button.scrollWidth > button.clientWidth + 1 && getComputedStyle(button).textOverflow !== 'ellipsis',
    );
    const boxes = [...(dialog?.querySelectorAll('div') ?? [])].filter((box) => box.scrollWidth > box.clientWidth + 1);
    return [...buttons.filter(({ clientWidth }) => clientWidth > 0), ...boxes].map(({ textContent }) => textContent?.slice(0, 60));
  });
  expect(wide, path).toEqual([]);
  expect(await on.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(phone.width);
};

test('the longest names stay on a phone: lists, pages, forms and dialogs', { tag: '@long' }, async ({ page: on }) => {
  await on.setViewportSize(phone);
  await signIn(on);
  const pages = [
    ['', topic],
    ['/schemas', schema],
    ['/accounts', account],
    ['/requests', 'No requests wait for a decision'],
    [`/topics/${topic}`, topic],
    [`/topics/${topic}/access`, account],
    [`/topics/${topic}/promotion`, 'What production gets'],
    [`/schemas/${schema}`, schema],
    [`/accounts/${account}`, 'The cluster has exactly these'],
    [`/topics/${failed}`, 'Re-run from'],
  ] as const;
  for (const [path, shown] of pages) {
    await on.goto(tab + path);
    await expect(on.getByText(shown, { exact: false }).filter({ visible: true }).first()).toBeVisible();
    await expectInside(on, path);
  }
  for (const [path, field] of [
    ['/create-stream', 'Topic name'],
    ['/accounts/new', 'Account name'],
  ] as const) {
    await on.goto(tab + path);
    await on.getByLabel(field).fill(longest('free'));
    await expect(on.getByText(`${longest('free')} is free`).first()).toBeVisible();
    await expectInside(on, path);
  }
  for (const [path, button] of [
    [`/topics/${topic}`, 'Delete topic'],
    [`/accounts/${account}`, 'Delete account'],
    [`/accounts/${account}`, 'Add a topic'],
  ] as const) {
    await on.goto(tab + path);
    await on.getByRole('button', { name: button }).click();
    await expect(on.getByRole('dialog').or(on.getByRole('alertdialog'))).toBeVisible();
    await expectInside(on, button);
  }
});
