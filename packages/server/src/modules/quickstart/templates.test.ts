import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { Template } from '@slipway/contract/quickstart.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { SourceFile } from '#ports/builder.ts';

import { templateFiles, templateList } from './templates.ts';

const names = { app: 'berth-planner', displayName: `O'Hara & "Sons" <Berth> planner`, service: 'berth-planner-web' };
const running = new Set<ChildProcess>();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'templates-'));
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const textOf = (files: readonly SourceFile[], path: string): string =>
  Buffer.from(files.find((file) => file.path === path)?.content ?? []).toString('utf8');

const laidOutFiles = async (files: readonly SourceFile[], at: string): Promise<string> => {
  const root = join(folder, at);
  for (const { path, content } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
};

const laidOut = async (id: string, at: string): Promise<string> => laidOutFiles(await templateFiles(id, names), at);

const node = (cwd: string, args: readonly string[], env: Record<string, string>) => {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  void exited.then(() => running.delete(child));
  return { child, exited };
};

/** Starts the program like the platform and waits for the line with its port. */
const started = async (root: string) => {
  const program = node(root, ['src/main.js'], { PORT: '0', HOST: '127.0.0.1' });
  for await (const line of createInterface(program.child.stdout)) {
    const { message, port } = JSON.parse(line) as { message: string; port?: number };
    if (message === 'listening' && port !== undefined) {
      program.child.stdout.resume();
      return { ...program, url: `http://127.0.0.1:${port}` };
    }
  }
  throw new Error(`the program ended with ${await program.exited}`);
};

test('the list is what the contract promises', () => {
  expect(templateList().map(({ id }) => id)).toEqual(['node-http-api', 'node-web', 'node-worker']);
  for (const template of templateList()) expect(Template.parse(template)).toEqual(template);
});

test('an unknown template is a problem at its field', async () => {
  await expect(templateFiles('../modules', names)).rejects.toMatchObject({
    errors: [{ field: 'template', code: 'TemplateDoesNotExist' }],
  });
});

describe.each(templateList().map(({ id }) => id))('%s', (id) => {
  test('is a whole repository with its names filled in', async () => {
    const files = await templateFiles(id, names);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'src/main.js']));
    expect(paths).not.toContain('service.yaml');
    const manifest = JSON.parse(textOf(files, 'package.json')) as { dependencies?: object };
    expect(manifest).toMatchObject({
      name: 'berth-planner-web',
      description: names.displayName,
      type: 'module',
      scripts: { start: 'node src/main.js', test: 'node --test' },
    });
    expect(manifest.dependencies).toBeUndefined();
    expect(textOf(files, 'README.md')).toContain('# O\'Hara \\& "Sons" \\<Berth\\> planner\n');
    for (const { path, content } of files) expect(Buffer.from(content).toString('utf8'), path).not.toMatch(/\{\{\w+\}\}/);
  });

  test('passes its own tests', async () => {
    const root = await laidOut(id, `${id}-tests`);
    const { child, exited } = node(root, ['--test'], {});
    const output = await child.stdout.setEncoding('utf8').toArray();
    expect(await exited, output.join('')).toBe(0);
  });

  test('with a database and a stream has their clients, and starts while both are away', async () => {
    const files = await templateFiles(id, { ...names, withDatabase: true, topic: 'berth-planner.events' });
    const clients = ['vendor/pg.js', 'vendor/kafkajs.js', 'CONNECTIONS.md'];
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(clients));
    expect(textOf(files, 'src/connection-list.js')).toContain("export const list = [database, streamOf('berth-planner.events')];");
    const { child, exited, url } = await started(await laidOutFiles(files, `${id}-parts`));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await (await fetch(url)).text()).toMatch(/Database<\/h3><p>Not connected: .*Stream<\/h3><p>/s);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    const plain = await templateFiles(id, names);
    expect(plain.map(({ path }) => path).filter((path) => path.startsWith('vendor/'))).toEqual([]);
  });

  test('starts, is healthy, shows its name as text, and ends by itself when asked to', async () => {
    const { child, exited, url } = await started(await laidOut(id, `${id}-run`));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const page = await fetch(url);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).toContain('<h1>O&#39;Hara &amp; &quot;Sons&quot; &lt;Berth&gt; planner</h1>');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });
});

test.each([
  ['node-http-api', '/berths', 'application/json', '{"name":"Berth 4","quay":"West","lengthMetres":50,"depthMetres":5}', 201],
  ['node-web', '/', 'application/x-www-form-urlencoded', 'name=Ada&message=Hello', 303],
])('%s answers a request that is under way when it is asked to stop', async (id, path, type, body, status) => {
  const { child, exited, url } = await started(await laidOut(id, `${id}-drain`));
  const headers = { 'content-type': type, 'content-length': body.length };
  const slow = request(url + path, { method: 'POST', headers });
  await new Promise<void>((resolve) => slow.write(body.slice(0, 5), () => resolve()));
  // Once the program answers a later request on another connection, it has accepted this one.
  await fetch(`${url}/healthz`);
  child.kill('SIGTERM');
  await expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed');
  slow.end(body.slice(5));
  const [response] = (await once(slow, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(status);
  expect(await exited).toBe(0);
});
