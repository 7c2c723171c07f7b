/** Service settings, section by section: changed in the browser, reviewed, applied, and seen to work on the running service. */
import { expect, test, type Locator, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { askService } from '../edge.ts';
import { pushProgram } from '../program.ts';
import { signIn } from '../sign-in.ts';

test.describe.configure({ mode: 'serial' });

/** Another one in each run and theme, since they share the server. */
const app = `lab-${Date.now().toString(36)}`;
const place = `/app/${app}/development`;
const service = `${place}/service/${app}`;
const settings = `${service}/settings`;
let page: Page;
let url = '';
let token = '';

const api = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await page.request.fetch(`/api/v1/apps/${app}/development/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { data: body }),
  });
  expect(answer.status(), await answer.text()).toBeLessThan(300);
  return answer.status() === 204 ? undefined : answer.json();
};
const reported = async (path: string): Promise<string> => (await askService(`${url}${path}`)).text;
const environment = async (): Promise<Record<string, string>> => JSON.parse(await reported('/env'));

const open = async (): Promise<void> => {
  await page.goto(settings);
  await expect(page.getByLabel('CPU', { exact: true })).toBeEditable();
};
const review = async (): Promise<Locator> => {
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: /^Review \d+ change/ })).toBeVisible();
  return dialog;
};
const apply = async (): Promise<void> => {
  const dialog = await review();
  await dialog.getByRole('button', { name: 'Apply to development' }).click();
  await page.waitForURL(/\/pipeline\//);
  await expect(page.getByText('Completed', { exact: true }).first()).toBeVisible();
};

test.beforeAll(async ({ browser, contextOptions, baseURL }) => {
  const context = await browser.newContext({ ...contextOptions, ...(baseURL ? { baseURL } : {}) });
  page = await context.newPage();
  await signIn(page);
  await page.goto('/new-app/quickstart');
  await page.getByLabel('App name').fill(app);
  const team = page.getByLabel('Team', { exact: true });
  if (!(await team.textContent())?.includes('Terminal Operations')) {
    await team.click();
    await page.getByRole('option', { name: /Terminal Operations/ }).click();
  }
  await page.getByRole('button', { name: 'Create app' }).click();
  await expect(page.getByRole('heading', { name: `${app} is running` })).toBeVisible();
  const link = page.getByRole('link', { name: new RegExp(`${app}\\.${app}\\.development\\.localhost`) }).first();
  url = ((await link.getAttribute('href')) ?? '').replace(/\/$/, '');
  token = await pushProgram(page, app);
  await expect(async () => expect((await askService(`${url}/env`)).text).toContain('PORT')).toPass();
});
test.afterAll(() => page.context().close());

test('General: nothing answers at the address of an inactive service, and the same does once it is active', async () => {
  await open();
  await page.getByLabel('Active').uncheck();
  await apply();
  expect((await askService(url)).status).toBe(404);
  await open();
  await page.getByLabel('Active').check();
  await apply();
  await expect(async () => expect((await askService(url)).status).toBe(200)).toPass();
});

test('Resource management: more instances without a restart, and another limit with one', async () => {
  await open();
  await page.getByLabel('Replicas', { exact: true }).fill('2');
  await page.getByLabel('Memory', { exact: true }).fill('192');
  await expect(page.getByText('192 MB = 0.188 GB')).toBeVisible();
  await expect(page.getByText('was 256 MB')).toBeVisible();
  await apply();
  const { status } = (await api('GET', `services/${app}`)) as { status: { serving: string } };
  await page.goto(`${service}/revision/${status.serving}`);
  await expect(page.getByRole('columnheader', { name: 'Memory of 192 MB' })).toBeVisible();
  await expect(page.getByRole('img', { name: /^Memory \d+ of 192 MB$/ })).toHaveCount(2);
});

test('File volumes: the keys of a group are files of the service', { tag: '@long' }, async () => {
  await api('POST', 'secret-groups', {
    name: 'harbour-files',
    entries: [
      { key: 'chart.txt', value: 'seven fathoms' },
      { key: 'BUOY', value: 'red' },
    ],
  });
  await api('PUT', `services/${app}/secret-groups/harbour-files`, { exposeAsEnvironment: false });
  await open();
  const panel = page.getByRole('region', { name: 'File volumes' });
  await panel.getByRole('button', { name: 'Add' }).click();
  await panel.getByLabel('Path').fill('/run/harbour');
  await panel.getByLabel('Secret group').click();
  await page.getByRole('option', { name: 'harbour-files' }).click();
  await expect(panel.getByText('/run/harbour/chart.txt')).toBeVisible();
  await panel.getByLabel('Format').click();
  await page.getByRole('option', { name: /One file: JSON/ }).click();
  await expect(panel.getByText('/run/harbour/harbour-files.json')).toBeVisible();
  await apply();
  expect(JSON.parse(await reported('/file?path=/run/harbour/harbour-files.json'))).toEqual({ 'chart.txt': 'seven fathoms', BUOY: 'red' });
});

test('Environment variables: pasted, and a secret moved out of the settings', { tag: '@long' }, async () => {
  const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8'.repeat(2)}`;
  await open();
  const panel = page.getByRole('region', { name: 'Environment variables' });
  await panel.getByRole('button', { name: 'Paste many' }).click();
  const paste = page.getByRole('dialog');
  await paste
    .getByLabel('File', { exact: true })
    .fill(`TIDE_URL=https://tide.example.com\nexport GREETING='it is high tide'\nGIT_KEY=${secret}`);
  await expect(paste.getByText('3 added, 0 changed, 0 removed, 0 the same')).toBeVisible();
  await expect(paste.getByText('Looks like a GitHub token')).toBeVisible();
  await paste.getByRole('button', { name: 'Merge', exact: true }).click();
  await panel.getByRole('button', { name: 'Edit GIT_KEY' }).click();
  await expect(panel.getByText(/The value of GIT_KEY looks like a GitHub token/)).toBeVisible();
  await panel.getByRole('button', { name: 'Move to a secret group' }).click();
  const move = page.getByRole('dialog');
  await move.getByLabel('Name of the new group').fill('harbour-keys');
  await move.getByRole('button', { name: 'Move', exact: true }).click();
  await expect(move).toBeHidden();
  const dialog = await review();
  await expect(dialog.getByText('key GIT_KEY of the secret group harbour-keys')).toBeVisible();
  await expect(dialog.getByText(secret)).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await apply();
  expect(await environment()).toMatchObject({ TIDE_URL: 'https://tide.example.com', GREETING: 'it is high tide', GIT_KEY: secret });
  expect(JSON.stringify(await api('GET', `services/${app}/settings`))).not.toContain(secret);
});

test('Rollout: red/black keeps the old revision, disabled; the pattern is tried on real tags', { tag: '@long' }, async () => {
  await open();
  await page.getByRole('radio', { name: /^Red\/black/ }).check();
  await page.getByText('By tag pattern').click();
  const pattern = page.getByRole('textbox', { name: 'Tag pattern' });
  await pattern.fill('(');
  await expect(page.getByText('Tag pattern is not a valid regular expression')).toBeVisible();
  await pattern.fill(String.raw`\d{4}\.\d+\.\d+-[0-9a-f]+`);
  await expect(page.getByText(/^(\d+) of \1 tags? match/)).toBeVisible();
  await pattern.fill('release-.*');
  await expect(page.getByText(/^0 of \d+ tags? match/)).toBeVisible();
  await apply();
  await open();
  await page.getByRole('button', { name: 'Edit TIDE_URL' }).click();
  await page.getByLabel('Value', { exact: true }).fill('https://tide.example.com/v2');
  await apply();
  expect((await environment())['TIDE_URL']).toBe('https://tide.example.com/v2');
  const { content } = (await api('GET', `services/${app}/revisions`)) as { content: { enabled: boolean; status: string }[] };
  expect(content.slice(0, 2).map(({ enabled }) => enabled)).toEqual([true, false]);
});

test('Network: basic authentication, another base path, and back', { tag: '@long' }, async () => {
  await open();
  await page.getByRole('radio', { name: /^Basic/ }).check();
  await expect(page.getByText(/Use it for tests, and JWT for everything else/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Base path' }).fill('/harbour');
  await expect(page.getByText(`${url}/harbour`, { exact: true })).toBeVisible();
  await apply();
  expect((await askService(`${url}/harbour/env`)).status).toBe(401);
  await page.goto(`${place}/secret-group/${app}-basic-auth`);
  await page
    .getByRole('button', { name: /Reveal.*password/i })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('To see that it lets us in');
  await dialog.getByRole('button', { name: 'Reveal for 30 seconds' }).click();
  const shown = dialog.getByLabel(/^Value of/);
  await expect(shown).toHaveValue(/\S{16,}/);
  const password = (await shown.inputValue()).trim();
  const groups = (await api('GET', `secret-groups/${app}-basic-auth`)) as { keys: { key: string }[] };
  expect(groups.keys.map(({ key }) => key).toSorted()).toEqual(['password', 'username']);
  const authorization = `Basic ${Buffer.from(`${app}:${password}`).toString('base64')}`;
  const answer = await askService(`${url}/harbour/somewhere`, { authorization });
  expect([answer.status, JSON.parse(answer.text).path]).toEqual([200, '/somewhere']);
  await open();
  await page.getByRole('radio', { name: /^None Every request/ }).check();
  await page.getByRole('textbox', { name: 'Base path' }).fill('/');
  await apply();
  expect((await askService(`${url}/env`)).status).toBe(200);
});

test('Network: outgoing traffic to a listed host', { tag: '@long' }, async () => {
  await open();
  await page.getByRole('radio', { name: /^Listed hosts/ }).check();
  await page.getByRole('button', { name: 'Add a host' }).click();
  await page.getByRole('textbox', { name: 'Host 1' }).fill('API.example.com:8443');
  await apply();
  await open();
  await expect(page.getByRole('textbox', { name: 'Host 1' })).toHaveValue('api.example.com:8443');
});

test('Health: another path is probed', { tag: '@long' }, async () => {
  await open();
  await page.getByLabel('HTTP path').fill('/ready');
  await page.getByLabel('Initial delay').fill('1');
  await page.getByLabel('Success threshold').fill('2');
  await expect(page.getByText('Ready after 2 s; removed after 3 s of failures.')).toBeVisible();
  await apply();
  expect(JSON.parse(await reported('/probed'))).toContain('/ready');
});

test('a change that fails is undone, and fixed without typing it again', async () => {
  await open();
  await page.getByLabel('CPU', { exact: true }).fill('300');
  const panel = page.getByRole('region', { name: 'Environment variables' });
  await panel.getByRole('button', { name: 'Add' }).click();
  await panel.getByLabel('Name', { exact: true }).fill('CRASH');
  await panel.getByLabel('Value', { exact: true }).fill('yes');
  await (await review()).getByRole('button', { name: 'Apply to development' }).click();
  await page.waitForURL(/\/pipeline\//);
  await page.getByRole('link', { name: 'Fix the settings' }).click();
  await expect(page.getByText(/^Filled in from/)).toBeVisible();
  await expect(page.getByLabel('CPU', { exact: true })).toHaveValue('300');
  expect((await environment())['CRASH']).toBeUndefined();
  await page.getByRole('button', { name: 'Edit CRASH' }).click();
  await page.getByLabel('Value', { exact: true }).fill('no');
  await apply();
  expect((await environment())['CRASH']).toBe('no');
});

test('Observability: the service’s own figures are shown', { tag: '@long' }, async () => {
  await open();
  await page.getByLabel('Metrics', { exact: true }).check();
  await apply();
  await page.goto(`${service}/metrics`);
  await expect(page.getByText('berths_free').first()).toBeVisible({ timeout: 75_000 });
});

test('Advanced: the vault proxy says why it is off; the settings are a file, too', async () => {
  await open();
  await expect(page.getByLabel('Vault proxy')).toBeDisabled();
  await expect(page.getByText('The vault proxy is not offered by this engine')).toBeVisible();
  await page.getByRole('link', { name: 'service.yaml' }).last().click();
  await expect(page.getByText(/memoryMegabytes/).first()).toBeVisible();
});

test('errors: every field shows its error, the first one has the focus, and nothing is sent', async () => {
  await open();
  await page.getByLabel('Period').fill('');
  await page.getByLabel('Memory', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await expect(page.getByLabel('Memory', { exact: true })).toBeFocused();
  await expect(page.getByText('Minimum Memory of 64 is required')).toBeVisible();
  await expect(page.getByText('Period is required')).toBeAttached();
  await expect(page.getByRole('link', { name: '2 errors, the first in Resource management' })).toBeVisible();
  await page.getByRole('button', { name: 'Put back Memory' }).click();
  await page.getByRole('button', { name: 'Put back Period' }).click();
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toHaveCount(0);
});

test('what was edited is offered again, and kept when somebody else changes the settings', async () => {
  await open();
  const cpu = page.getByLabel('CPU', { exact: true });
  const before = await cpu.inputValue();
  await cpu.fill('350');
  await page.getByRole('link', { name: 'Revisions' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave this page' }).click();
  await page.waitForURL(/\/revisions$/);
  await open();
  await page.getByRole('button', { name: 'Bring back' }).click();
  await expect(cpu).toHaveValue('350');
  const view = (await api('GET', `services/${app}/settings`)) as {
    spec: { scaleDownAfterDays: number | null };
    githubRepositoryName: string;
    active: boolean;
  };
  const { spec, githubRepositoryName, active } = view;
  await api('PUT', `services/${app}`, { githubRepositoryName, active, spec: { ...spec, scaleDownAfterDays: 30 } });
  await expect(page.getByText(/Somebody changed the settings meanwhile/)).toBeVisible();
  await page.getByRole('button', { name: 'Show changes' }).click();
  await expect(page.getByText('30 days')).toBeVisible();
  await page.getByRole('button', { name: 'Continue on the new settings' }).click();
  await expect(page.getByLabel('Scale down after')).toHaveValue('30');
  await expect(cpu).toHaveValue('350');
  await expect(cpu).toBeEditable();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(cpu).toHaveValue(before);
});

test('the keyboard alone makes a change', async () => {
  await open();
  const reach = async (target: Locator): Promise<void> => {
    for (let presses = 0; presses < 120; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error('The keyboard does not reach it');
  };
  await reach(page.getByLabel('Scale down after'));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('14');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: 'Review 1 change' })).toBeVisible();
  await reach(dialog.getByRole('button', { name: 'Apply to development' }));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/pipeline\//);
  await expect(page.getByText('Completed', { exact: true }).first()).toBeVisible();
});

test('axe finds nothing on the screen and its dialogs, in both themes; nothing scrolls sideways on a phone', { tag: '@long' }, async () => {
  await open();
  await page.getByLabel('Memory', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await expect(page.getByText('Minimum Memory of 64 is required')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Memory', { exact: true }).fill('320');
  await review();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('dialog').locator('pre')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByRole('button', { name: 'Paste many' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.setViewportSize({ width: 360, height: 740 });
  await open();
  const { scroll, inner } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, inner: innerWidth }));
  expect(scroll).toBeLessThanOrEqual(inner);
});

test('somebody outside the team looks, and sees whom to ask', async ({ page: other }) => {
  await signIn(other, 'Sofía Marín');
  await other.goto(settings);
  await expect(other.getByText(/You are not in Terminal Operations: you can look, but not change anything/)).toBeVisible();
  await expect(other.getByLabel('CPU', { exact: true })).not.toBeEditable();
  await expect(other.getByText('Environment variables are for members of the team')).toBeVisible();
  await expect(other.getByText('tide.example.com')).toHaveCount(0);
});
