// @long: its tests build on one another
/** Every way in which a program fails is explained on screen: one sentence, what was seen, and where to go next. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { revisionActivation, revisionList } from '@slipway/contract/service/revision.ts';
import { servicePipelineList, serviceTagList } from '@slipway/contract/service/service.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { adminToken, callApi, makeApp, origin, pipelineEnd, program, pushFiles, runApi } from '../api.ts';
import { signIn } from '../sign-in.ts';

const app = 'tide-errors';
const place = { app, env: 'development', service: app };
const servicePage = `/app/${app}/development/service/${app}`;

/** Pushes a program; answers the pipeline that it starts. */
const deployed = async (message: string, main: string): Promise<PipelineRun> => {
  const commit = pushFiles(`${app}/${app}`, message, program(main));
  let run: PipelineRun | undefined;
  await expect(async () => {
    const { content } = await callApi<{ content: PipelineRun[] }>(servicePipelineList, { params: place });
    run = content.find(({ facts }) => facts['commit'] === commit.slice(0, 7));
    expect(run).toBeDefined();
  }).toPass();
  if (!run) throw new Error('No pipeline began');
  return run;
};

/** Pushes a program, waits for its pipeline to end, and opens the revision that it made. */
const fail = async (page: Page, message: string, main: string): Promise<void> => {
  const { facts } = await pipelineEnd((await deployed(message, main)).pipelineId);
  await page.goto(`${servicePage}/revision/${facts['revision']}`);
};
const listening = (rest: string): string => `import http from 'node:http';\n${rest}\n`;

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  expect((await makeApp(app)).status.state).toBe('COMPLETED');
});
test.beforeEach(async ({ page }) => {
  await signIn(page);
});

test('a crash loop: the exit code, the last words, and the way to the log', async ({ page }) => {
  await fail(page, 'Lose the pilot', "console.error('Error: no pilot on board');\nprocess.exit(3);\n");
  await expect(page.getByText(/^The program exited right after it started: exit code 3/)).toBeVisible();
  await expect(page.getByText('Error: no pilot on board').first()).toBeVisible();
  await page
    .getByRole('link', { name: 'Error: no pilot on board' })
    .or(page.getByRole('link', { name: /log/i }))
    .first()
    .click();
  await expect(page).toHaveURL(/revision|log/);
});

test('a wrong port: which it is, and the field to set', { tag: '@long' }, async ({ page }) => {
  await fail(page, 'Moor elsewhere', listening("http.createServer((_, r) => r.end('ok')).listen(0, '127.0.0.1');"));
  await expect(page.getByText(/^The container listened on port \d+, but the service is set to port 8080\.$/)).toBeVisible();
  await expect(page.getByRole('link', { name: /settings|port/i }).first()).toBeVisible();
});

const answering = (status: number): string =>
  listening(`http.createServer((q, r) => {
  console.log(JSON.stringify({ level: 30, msg: 'request', url: q.url }));
  r.statusCode = ${status};
  r.end();
}).listen(Number(process.env.PORT));`);
test('a renamed health route: stopped at once, with its answer, its commit, and one line over the service that is well', async ({
  page,
}) => {
  expect((await pipelineEnd((await deployed('Answer all', answering(200))).pipelineId)).status.state).toBe('COMPLETED');
  const { pipelineId } = await deployed('Break the health check', answering(404));
  await page.goto(`${servicePage}/pipeline/${pipelineId}`);
  await expect(page.getByText(/^GET \/healthz returned 404, \d+ times$/)).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Stop now' }).click();
  await expect(page.getByText(/^Health check failed: GET \/healthz returned 404, \d+ times in \d+ s/).first()).toBeVisible();
  const card = page.getByRole('region', { name: /Start instances.* failed/ });
  await expect(card.getByText(/“Break the health check”/)).toBeVisible();
  await expect(card.getByText('request', { exact: true }).first()).toBeVisible();
  await expect(card.getByText(/Its instance was stopped after \d+ s\.$/)).toBeVisible();
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Show the diff' }).click();
  const diff = page.getByRole('dialog', { name: /^Pushed since revision/ });
  await expect(diff.getByRole('row', { name: /r\.statusCode = 404;/ })).toBeVisible();
  await diff.getByRole('button', { name: 'Close' }).click();
  await page.goto(servicePage);
  await expect(page.getByText(/^Revision \d+ failed/)).toBeVisible();
  await expect(page.getByText(/still serves\./)).toBeVisible();
  await expect(page.getByRole('heading', { name: /Why/ })).toBeHidden();
  await page.getByRole('button', { name: /^Dismiss the failure of revision/ }).click();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Revision \d+ failed/)).toBeHidden();
});

test('too little memory: the limit, and the field to raise it', { tag: '@long' }, async ({ page }) => {
  await fail(page, 'Take everything aboard', 'const kept = [];\nsetInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20);\n');
  await expect(page.getByText('It was stopped for using more than its 256 MB of memory.').first()).toBeVisible();
});

test('a full disk', { tag: '@long' }, async ({ page }) => {
  const main = "import { writeFileSync } from 'node:fs';\nconst part = Buffer.alloc(8 * 1024 * 1024, 1);\n";
  await fail(page, 'Fill the hold', `${main}for (let count = 0; count < 4096; count++) writeFileSync('/tmp/part-' + count, part);\n`);
  await expect(page.getByText('It cannot write any more: its disk is full.').first()).toBeVisible();
});

test('a health check that succeeds no more', { tag: '@long' }, async ({ page }) => {
  const answer = 'http.createServer((_, r) => { r.statusCode = Date.now() - startedAt > 2000 ? 500 : 200; r.end(); })';
  await fail(page, 'Fade', listening(`const startedAt = Date.now();\n${answer}.listen(Number(process.env.PORT));`));
  await expect(page.getByText(/^An instance does not answer its health check any more: .*500/)).toBeVisible();
});

test('an image that is gone from the registry', { tag: '@long' }, async ({ page }) => {
  const { content: revisions } = await callApi<{ content: { name: string; enabled: boolean }[] }>(revisionList, { params: place });
  const revision = revisions.find(({ enabled }) => enabled)?.name ?? '';
  // Of what a live revision runs the registry deletes nothing.
  await runApi(revisionActivation, { params: { ...place, revision }, body: { enabled: false } });
  const tags = await callApi<{ digest: string }[]>(serviceTagList, { params: place });
  const authorization = `Basic ${Buffer.from(`e2e:${adminToken()}`).toString('base64')}`;
  const scope = `repository:${app}/${app}:pull,push,delete`;
  const token = await fetch(`${origin}/v2/token?service=slipway-registry&scope=${scope}`, { headers: { authorization } });
  const { token: bearer } = (await token.json()) as { token: string };
  for (const { digest } of tags) {
    const gone = await fetch(`${origin}/v2/${app}/${app}/manifests/${digest}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${bearer}` },
    });
    expect(gone.status).toBe(202);
  }
  // What was unpacked before would do for a while.
  rmSync(join(process.env['SLIPWAY_E2E_DATA'] ?? '', 'images'), { recursive: true, force: true });
  await runApi(revisionActivation, { params: { ...place, revision }, body: { enabled: true } });
  await page.goto(servicePage);
  await expect(page.getByText(/^The image .*tide-errors.* is not in the registry any more\.$/)).toBeVisible();
});
