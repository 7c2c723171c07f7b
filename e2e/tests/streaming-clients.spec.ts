/**
 * Tests that a program needs only what the console gives it. An account created by clicks signs in, writes and reads, and is refused
 * everything that it may not do.
 */
import { applicationCreate, applicationView } from '@slipway/contract/application.ts';
import { teamView } from '@slipway/contract/team.ts';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { expect, test, type Page } from '@playwright/test';
import { callApi, runApi } from '../api.ts';
import { runShown } from '../client-program.ts';
import { signIn } from '../sign-in.ts';

const app = 'pilot-boats';
const place = { app, env: 'development' };
const tab = `/app/${app}/development/events-processing`;
const refused = /topic.{0,3}authorization|not authorized to access/i;

const heading = (on: Page, name: string) => on.getByRole('heading', { level: 1, name, exact: true });
const useIt = (on: Page) => on.getByRole('region', { name: 'Use it' });
/** The program of the page, in that language. */
const programOf = async (on: Page, language: 'Node' | 'KafkaJS', direction: 'Read' | 'Write'): Promise<string> => {
  await useIt(on).getByText(language, { exact: true }).click();
  await useIt(on).getByText(direction, { exact: true }).click();
  const code = useIt(on).locator('pre');
  await expect(code).toContainText(language === 'Node' ? '@platformatic/kafka' : 'kafkajs');
  await expect(code).toContainText(direction === 'Read' ? /onsumer/ : /roducer/);
  return (await code.textContent()) ?? '';
};
/** Names the account, lets it write and read the topic, and creates it. */
const makeAccount = async (on: Page, name: string, topic: string, isKept: boolean): Promise<void> => {
  await on.goto(`${tab}/accounts/new`);
  await on.getByLabel('Account name').fill(name);
  for (const list of ['Topics that it writes', 'Topics that it reads']) {
    await on.getByRole('combobox', { name: list }).click();
    await on.getByRole('option', { name: new RegExp(`^${topic}`) }).click();
    await on.keyboard.press('Escape');
  }
  if (isKept) await on.getByText('Into a secret group').click();
  await on.getByRole('button', { name: 'Create account' }).click();
  await expect(heading(on, name)).toBeVisible();
};

test.beforeAll(async () => {
  // The demonstration's teams are made once the server is up.
  await expect(async () => callApi(teamView, { params: { team: 'terminal-operations' } })).toPass();
  const isThere = await callApi(applicationView, { params: { app } }).catch(() => undefined);
  if (isThere) return;
  await runApi(applicationCreate, { body: { id: app, displayName: 'Pilot boats', teamId: 'terminal-operations' } });
  const content = JSON.stringify({ type: 'record', name: 'Crew', fields: [{ name: 'id', type: 'string' }] });
  await runApi(schemaCreate, { params: place, body: { name: 'crew', content } });
  await runApi(topicCreate, {
    params: place,
    body: { name: 'crews', description: 'Not for them', spec: { valueSchema: { resourceId: 'crew' } } },
  });
});

test('schema, topic and account by clicks; a program with the password that is shown once writes, reads, and is refused', async ({
  page: on,
}) => {
  await signIn(on);
  await test.step('a schema, and a topic with it', async () => {
    await on.goto(`${tab}/create-schema`);
    await on.getByLabel('Schema name').fill('transfer');
    await on.getByRole('button', { name: 'Create schema' }).click();
    await expect(heading(on, 'transfer')).toBeVisible();
    await on.getByRole('link', { name: 'New topic with it' }).click();
    await on.getByLabel('Name', { exact: true }).fill('transfers');
    await on.getByLabel('Description').fill('A pilot goes aboard');
    await on.getByRole('button', { name: 'Create topic' }).click();
    await expect(heading(on, 'transfers')).toBeVisible();
    await expect(on.getByText('3 of 3')).toBeVisible();
  });
  await makeAccount(on, 'boarder', 'transfers', false);
  await on.getByRole('button', { name: 'Show the password once' }).click();
  await expect(on.getByText('Slipway keeps no copy.')).toBeVisible();
  await expect(on.getByRole('button', { name: 'Done' })).toHaveCount(1);
  await expect(on.getByText('The cluster has exactly these')).toBeVisible();
  const [password = '', user = ''] = await on
    .getByRole('status')
    .filter({ hasText: 'Slipway keeps no copy.' })
    .locator('code')
    .allTextContents();
  const [, name = ''] = /^export KAFKA_USERNAME='(.+)'$/.exec(user) ?? [];
  const env = { KAFKA_USERNAME: name, KAFKA_PASSWORD: password };
  expect(name).toBe(`${app}.boarder`);

  await test.step('by the topic’s schema, and with KafkaJS', async () => {
    const written = await runShown(await programOf(on, 'Node', 'Write'), env);
    expect(written.code, written.output).toBe(0);
    const read = await runShown(await programOf(on, 'Node', 'Read'), env, /key .*id/);
    expect(read.output).toMatch(/key .*id/);
    const plain = await runShown(await programOf(on, 'KafkaJS', 'Write'), env);
    expect(plain.code, plain.output).toBe(0);
  });

  await test.step('a topic that it has no grant for is refused by the broker, and so is a wrong password', async () => {
    const foreign = (await programOf(on, 'KafkaJS', 'Write')).replaceAll(`${app}.transfers`, `${app}.crews`);
    const topic = await runShown(foreign, env, refused);
    expect(topic.output).toMatch(refused);
    expect(topic.code).not.toBe(0);
    const wrong = await runShown(await programOf(on, 'KafkaJS', 'Write'), { ...env, KAFKA_PASSWORD: `${password}x` }, /authentication/i);
    expect(wrong.output).toMatch(/authentication/i);
    expect(wrong.code).not.toBe(0);
  });

  await test.step('once it is put away nobody sees the password again', async () => {
    await on.getByRole('button', { name: 'Done' }).click();
    await on.getByRole('button', { name: 'Close without copying' }).click();
    await on.reload();
    await expect(heading(on, 'boarder')).toBeVisible();
    await expect(on.getByRole('button', { name: 'Show the password once' })).toHaveCount(0);
    await expect(on.getByText(password)).toHaveCount(0);
  });
});

test('an account whose password went into a secret group: what is revealed there is enough', async ({ page: on }) => {
  await signIn(on);
  await makeAccount(on, 'kept', 'transfers', true);
  await expect(on.getByText('The cluster has exactly these')).toBeVisible();
  const write = await programOf(on, 'Node', 'Write');
  const read = await programOf(on, 'KafkaJS', 'Read');
  await on.getByRole('link', { name: `${app}-kept-kafka, version 1` }).click();
  await expect(heading(on, `${app}-kept-kafka`)).toBeVisible();
  const env: Record<string, string> = {};
  for (const key of ['KAFKA_USERNAME', 'KAFKA_PASSWORD']) {
    await on
      .getByRole('row', { name: new RegExp(`^${key}`) })
      .getByRole('button', { name: /Reveal/ })
      .click();
    const dialog = on.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('A program of this machine needs it');
    await dialog.getByRole('button', { name: 'Reveal for 30 seconds' }).click();
    await expect(dialog.getByText(/^Hidden in/)).toBeVisible();
    env[key] = await dialog.getByRole('textbox').inputValue();
    await on.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
  expect(env['KAFKA_USERNAME']).toBe(`${app}.kept`);
  const written = await runShown(write, env);
  expect(written.code, written.output).toBe(0);
  expect((await runShown(read, env, /key \S*/)).output).toMatch(/^key /m);
});
