/** A program that tells what it was given: its variables, files, requests and probes. Pushed as a person pushes one. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';

const main = `import fs from 'node:fs';
import http from 'node:http';
if (process.env.CRASH === 'yes') throw new Error('asked to crash');
const probed = new Set();
const answers = {
  '/env': () => JSON.stringify(process.env),
  '/file': (url) => fs.readFileSync(url.searchParams.get('path'), 'utf8'),
  '/probed': () => JSON.stringify([...probed]),
  '/metrics': () => '# HELP berths_free Berths that are free\\n# TYPE berths_free gauge\\nberths_free 7\\n',
};
const answer = (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname === '/healthz' || url.pathname === '/ready') probed.add(url.pathname);
  response.end(answers[url.pathname]?.(url) ?? JSON.stringify({ path: request.url, port: request.socket.localPort }));
};
http.createServer(answer).listen(Number(process.env.PORT), () => console.log('listening on', process.env.PORT));
process.on('SIGTERM', () => process.exit(0));
`;

/** A token as a person makes it: on the page, shown once. */
const makeToken = async (page: Page): Promise<string> => {
  await page.goto('/me/tokens');
  await page
    .getByRole('button', { name: /New token|Create token|New API token/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(`Settings ${Date.now()}`);
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
  await dialog.getByRole('button', { name: /Create/ }).click();
  const shown = page.getByText(/^slw_[A-Za-z0-9_-]{40,}$/).first();
  await expect(shown).toBeVisible();
  return (await shown.textContent()) ?? '';
};

/** Pushes the program to `{app}/{app}`; answers the token that it was pushed with. */
export const pushProgram = async (page: Page, app: string): Promise<string> => {
  const token = await makeToken(page);
  const { host } = new URL(page.url());
  const folder = mkdtempSync(join(tmpdir(), 'slipway-program-'));
  const git = (...args: string[]): void => {
    const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
    execFileSync('git', ['-c', 'user.name=Ingrid', '-c', 'user.email=ingrid@example.test', ...args], { cwd: folder, env, stdio: 'pipe' });
  };
  try {
    git('clone', '--quiet', `http://ingrid:${token}@${host}/git/${app}/${app}.git`, '.');
    writeFileSync(join(folder, 'src/main.js'), main);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: app, type: 'module', scripts: { start: 'node src/main.js' } }));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Tell what I was given');
    git('push', '--quiet');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return token;
};
