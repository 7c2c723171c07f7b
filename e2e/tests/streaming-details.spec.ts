// @long: its tests build on one another
/** Tests the daily work with schemas, topics and messages: references, concurrent changes, masking, search and drift. */
import { expect, test, type Page } from '@playwright/test';
import { applicationCreate, applicationView } from '@slipway/contract/application.ts';
import { topicMessageProduce } from '@slipway/contract/streaming/message.ts';
import { schemaCreate, schemaUpdate } from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { expectAccessible } from '../accessible.ts';
import { adminToken, callApi, origin, runApi } from '../api.ts';
import { signIn } from '../sign-in.ts';

const place = { app: 'yard-lanes', env: 'development' };
const tab = '/app/yard-lanes/development/events-processing';
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

const avro = (name: string, ...fields: object[]) =>
  JSON.stringify({ type: 'record', name, namespace: 'com.norrland', fields: [{ name: 'id', type: 'string' }, ...fields] }, undefined, 2);
const makeSchema = (name: string, content: string) => runApi(schemaCreate, { params: place, body: { name, content } });

const write = async (on: Page, version: number, content: string): Promise<void> => {
  await on.getByRole('textbox', { name: `Schema content, version ${version}` }).click();
  await on.keyboard.press('ControlOrMeta+A');
  await on.keyboard.insertText(content);
};

/** An app of its own, for whichever journey begins; the demo's team is made after the start. */
const makeOwnApp = () =>
  expect(async () => {
    const isThere = await callApi(applicationView, { params: { app: place.app } }).catch(() => undefined);
    if (!isThere) await runApi(applicationCreate, { body: { id: place.app, displayName: 'Yard lanes', teamId: 'terminal-operations' } });
  }).toPass();
test.beforeAll(makeOwnApp);

test('schemas: references, all three types, a fix, and somebody who saves meanwhile', async ({ page: on }) => {
  await on.setViewportSize(page);
  await makeSchema('truck', avro('Truck'));
  await makeSchema('visit', avro('Visit', { name: 'gate', type: 'string' }));
  await signIn(on);

  await test.step('the sample follows the type, and each is judged in its own language', async () => {
    await on.goto(`${tab}/create-schema`);
    await expect(on.getByText('Valid Avro, 1 field')).toBeVisible();
    for (const type of ['JSON Schema', 'Protobuf', 'Avro']) {
      await on.getByLabel('Schema type').click();
      await on.getByRole('option', { name: type }).click();
      await expect(on.getByText(`Valid ${type}, 1 field`)).toBeVisible();
    }
  });

  await test.step('a schema that builds on another', async () => {
    await on.getByLabel('Schema name').fill('booking');
    await on.getByText(/^References/).click();
    await on.getByRole('combobox', { name: /^Add a reference/ }).click();
    await on.getByRole('option', { name: /truck/ }).click();
    await expect(on.getByLabel('Name of truck in the content')).toHaveValue('com.norrland.Truck');
    await expectFits(on);
    await on.getByRole('textbox', { name: 'Content', exact: true }).click();
    await on.keyboard.press('ControlOrMeta+A');
    await on.keyboard.insertText(avro('Booking', { name: 'truck', type: 'com.norrland.Truck' }));
    await expect(on.getByText('Valid Avro, 2 fields')).toBeVisible();
    await on.getByLabel('Schema name').press('ControlOrMeta+Enter');
    await expect(heading(on, 'booking')).toBeVisible();
    await expect(on.getByText('The same as version 1')).toBeVisible();
    await expectFits(on);
    await on.getByRole('link', { name: 'truck', exact: true }).first().click();
    await expect(heading(on, 'truck')).toBeVisible();
    await on.getByRole('button', { name: 'Delete schema' }).hover();
    await expect(on.getByText('Other schemas refer to this one: schema booking')).toBeVisible();
  });

  await test.step('one press fixes what breaks; what somebody saves meanwhile is joined, and nothing typed is lost', async () => {
    await on.goto(`${tab}/schemas/visit`);
    await expect(on.getByText('The same as version 1')).toBeVisible();
    await write(on, 2, avro('Visit', { name: 'gate', type: 'string' }, { name: 'lane', type: 'int' }));
    await expect(on.getByText('1 breaking change')).toBeVisible();
    await on.getByRole('button', { name: 'Fix it' }).click();
    await expect(on.getByText('Compatible with version 1')).toBeVisible();
    const meanwhile = avro('Visit', { name: 'gate', type: 'string' }).replace('"name": "id"', '"name": "id", "doc": "Of the visit"');
    await runApi(schemaUpdate, { params: { ...place, schema: 'visit' }, body: { content: meanwhile, revisionId: 1 } });
    await expect(on.getByRole('heading', { name: 'Version 2 was saved meanwhile' })).toBeVisible();
    await expectFits(on);
    await on.getByRole('button', { name: 'Take over my changes' }).click();
    await expect(on.getByText('Compatible with version 2')).toBeVisible();
    await on.getByRole('button', { name: 'Save version 3' }).click();
    await expect(on.getByText('Schema updated successfully')).toBeVisible();
    const compare = on.getByRole('table', { name: 'Version 2 against version 3' });
    await expect(compare.getByText('lane')).toBeVisible();
  });
});

const cranes = { ...place, topic: 'cranemoves' };
const produce = (key: string, operator: string) =>
  callApi(topicMessageProduce, { params: cranes, body: { key, value: { id: key, operator }, partition: 0 } });

test('messages: searched, read with a reason, followed live, and counted by version', async ({ page: on }) => {
  await on.setViewportSize(page);
  await makeSchema('cranemove', avro('CraneMove', { name: 'operator', type: 'string', classification: 'CONFIDENTIAL' }));
  const spec = { valueSchema: { resourceId: 'cranemove' } };
  await runApi(topicCreate, { params: place, body: { name: 'cranemoves', description: 'A crane moved a box', tags: ['crane'], spec } });
  for (const key of ['one', 'two', 'three']) await produce(key, 'Anna Berg');
  await signIn(on);
  await on.goto(`${tab}/topics/cranemoves/messages`);
  const table = on.getByRole('table', { name: 'Messages' });
  const rows = table.getByRole('button');

  await test.step('by key, by offset, by time', async () => {
    await expect(rows).toHaveText(['2', '1', '0']);
    await on.getByLabel('Key', { exact: true }).fill('two');
    await expect(rows).toHaveText(['1']);
    await on.getByLabel('Key', { exact: true }).fill('');
    await on.getByText('Offset', { exact: true }).first().click();
    await on.getByLabel('Offset', { exact: true }).last().fill('1');
    await expect(rows).toHaveText(['1', '2']);
    await on.getByText('Time', { exact: true }).first().click();
    await expect(rows).toHaveText(['0', '1', '2']);
    await expectFits(on);
    await on.getByText('Newest', { exact: true }).click();
    await expect(rows).toHaveText(['2', '1', '0']);
  });

  await test.step('what is masked is shown to whom says why, for half a minute, and it is recorded', async () => {
    await expect(on.getByText('Anna Berg')).toHaveCount(0);
    await on.getByRole('heading', { level: 1 }).click();
    await on.keyboard.press('j');
    await expect(on.getByRole('heading', { name: 'Partition 0, offset 2' })).toBeVisible();
    const reason = on.getByLabel('Why do you need what is masked?');
    await reason.fill('short');
    await reason.press('Enter');
    await expect(on.getByText('Write at least ten characters')).toBeVisible();
    await expectFits(on);
    await reason.fill('Who moved box 4471, case 12');
    await reason.press('Enter');
    await expect(on.getByText('"Anna Berg"')).toBeVisible();
    await expect(on.getByText(/^Masked again in \d+ s/)).toBeVisible();
    await expectAccessible(on);
    await on.getByRole('button', { name: 'Hide' }).click();
    await expect(on.getByText('"Anna Berg"')).toHaveCount(0);
    // Back to the list, not away from it.
    await on.keyboard.press('Escape');
    await expect(reason).toHaveCount(0);
    await expect(rows).toHaveText(['2', '1', '0']);
  });

  await test.step('live: what comes while one reads waits', async () => {
    await on.getByRole('switch', { name: 'Live' }).click();
    await expect(on.getByText('Live.', { exact: true })).toBeVisible();
    await produce('four', 'Anna Berg');
    await expect(rows).toHaveText(['3', '2', '1', '0']);
    await rows.first().click();
    await produce('five', 'Anna Berg');
    await expect(on.getByText('1 newer.')).toBeVisible();
    await expectFits(on);
    await on.getByRole('button', { name: 'Resume' }).click();
    await expect(rows.first()).toHaveText('4');
    await on.getByRole('switch', { name: 'Live' }).click();
  });

  await test.step('the reading is in the log, and the schema says how many messages have each version', async () => {
    await on.goto(`${tab}/topics/cranemoves/activity-logs`);
    await expect(on.getByText('Who moved box 4471, case 12').first()).toBeVisible();
    await on.goto(`${tab}/schemas/cranemove`);
    await on.getByRole('button', { name: 'Count in messages' }).click();
    await expect(on.getByText('100 %')).toBeVisible();
    await expect(on.getByText('A sample: the newest 5 messages of cranemoves')).toBeVisible();
    await expectFits(on);
  });
});

test('topics: found by tag, and drift that is put back', async ({ page: on }) => {
  await on.setViewportSize(page);
  await makeSchema('lanestate', avro('LaneState'));
  const spec = { valueSchema: { resourceId: 'lanestate' } };
  await runApi(topicCreate, { params: place, body: { name: 'lanestates', description: 'A lane opens or closes', spec } });
  await signIn(on);

  await test.step('tags are given in the settings, and lead to the list', async () => {
    await on.goto(`${tab}/topics/lanestates/settings`);
    await on.getByLabel('Tags').fill('Lane, gate!');
    await on.getByLabel('Tags').press('ControlOrMeta+Enter');
    await expect(on.getByText('A tag has lowercase letters, digits and dashes, at most 40')).toBeVisible();
    await expectFits(on);
    await on.getByLabel('Tags').fill('Lane, gate');
    await on.getByLabel('Tags').press('ControlOrMeta+Enter');
    await on.getByRole('dialog').getByRole('button', { name: 'Apply changes' }).click();
    await on.goto(`${tab}/topics/lanestates`);
    await on.getByRole('link', { name: 'gate', exact: true }).click();
    const table = on.getByRole('table', { name: 'Topics' });
    await expect(table.getByRole('link')).toHaveText(['lanestates']);
    await expectFits(on);
    await on.getByRole('button', { name: 'Tag gate' }).click();
    await expect(table.getByRole('link', { name: 'lanestates' })).toBeVisible();
  });

  await test.step('a subject that somebody took away is seen, and put back', async () => {
    const subject = `${origin}/schema-registry/development/subjects/yard-lanes.lanestates-value`;
    const headers = { authorization: `Bearer ${adminToken()}` };
    expect((await fetch(subject, { method: 'DELETE', headers })).status).toBe(200);
    await on.goto(`${tab}/topics/lanestates`);
    await expect(on.getByText('Other schema in the registry')).toBeVisible();
    await expectFits(on);
    await on.getByRole('button', { name: 'Put back 1 setting' }).click();
    const dialog = on.getByRole('alertdialog');
    await expect(dialog.getByText('yard-lanes.lanestates-value')).toBeVisible();
    await dialog.getByRole('button', { name: 'Put back' }).click();
    await expect(on.getByText('lanestates and the cluster match')).toBeVisible();
    await expect(on.getByText('All the same')).toBeVisible();
  });
});
