/** The guide in docs/guide: all pages exist, all links work, and every message is explained. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generalCodes } from '@slipway/contract/kernel/errors.ts';
import { routes } from '@slipway/contract/routes.ts';
import { stepMessages } from '@slipway/contract/pipeline/steps.ts';
import { diagnosisCodes } from '@slipway/contract/service/diagnosis.ts';
import { chaptersIn, pathOfPage } from './chapters.ts';
import { mountGuide } from './guide.ts';
import { renderMarkdown } from './render-markdown.ts';

const directory = resolve(import.meta.dirname, '../../../../../docs/guide');
const slugs = chaptersIn(directory).flatMap((chapter) => chapter.slugs);
let server: FastifyInstance;

beforeAll(() => {
  server = Fastify();
  mountGuide(server, directory);
});
afterAll(() => server.close());

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });

describe.each(slugs)('%s', (slug) => {
  test('is served without a script, and marked in the contents', async () => {
    const answer = await get(pathOfPage(slug));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.body).not.toMatch(/<script|\son\w+=|\sstyle=/i);
    expect(answer.body.match(/<h1>/g)).toHaveLength(1);
    expect(answer.body).toContain(`<a href="${pathOfPage(slug)}" aria-current="page">`);
  });

  test('leads only to what there is', async () => {
    const { body } = await get(pathOfPage(slug));
    for (const [, href = ''] of body.matchAll(/href="([^"]+)"/g)) {
      // The console and the API pages belong to other modules.
      if (href.startsWith('https:') || ['/', '/catalogue', '/requests', '/api/docs', '/openapi.json', '/favicon.svg'].includes(href))
        continue;
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? body : (await get(path)).body;
      expect(path === '' ? 200 : (await get(path)).statusCode, href).toBe(200);
      if (anchor !== undefined) expect(target, href).toContain(`id="${anchor}"`);
    }
  });
});

test('the links of the footer have pages', async () => {
  for (const name of ['legal', 'support', 'contact', 'github', 'request-a-feature', 'release-notes', 'roadmap'])
    expect((await get(`/docs/${name}/`)).statusCode, name).toBe(200);
});

test('a page has one address', async () => {
  for (const [asked, kept] of [
    ['/docs', '/docs/'],
    ['/docs/pipelines', '/docs/pipelines/'],
    ['/docs/index/', '/docs/'],
  ] as const) {
    const answer = await get(asked);
    expect([answer.statusCode, answer.headers.location]).toEqual([308, kept]);
  }
});

test('what is not there is shown with the contents beside it', async () => {
  for (const path of ['/docs/nothing/', '/docs/pipelines/deeper/', '/docs/assets/none.woff2']) {
    const answer = await get(path);
    expect(answer.statusCode, path).toBe(404);
    expect(answer.body, path).toContain('href="/docs/pipelines/"');
  }
});

test('the sheet has both themes and its fonts, and is not sent twice', async () => {
  const sheet = await get('/docs/guide.css');
  expect(sheet.headers['content-type']).toBe('text/css; charset=utf-8');
  expect(sheet.body).toContain('--canvas: light-dark(');
  const fonts = [...sheet.body.matchAll(/url\('([^']+)'\)/g)].map(([, url = '']) => url);
  expect(fonts).toHaveLength(2);
  for (const url of fonts) {
    const font = await get(url);
    expect([font.statusCode, font.headers['content-type']]).toEqual([200, 'font/woff2']);
    expect(font.rawPayload.subarray(0, 4).toString()).toBe('wOF2');
  }
  const again = await get('/docs/guide.css', { 'if-none-match': String(sheet.headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('every code that a user may meet is explained', () => {
  const page = readFileSync(resolve(directory, 'troubleshooting.md'), 'utf8');
  // Success messages of steps need no explanation.
  const made = ['RepositoryCreated', 'ImageBuilt', 'ServiceHealthy', 'TrafficShifted', 'RevisionServes', 'CredentialsMade'];
  const settled = ['SettingsSaved', 'InstancesScaled', 'EdgeConfigured', 'EdgeClosed', 'RowsRestored', 'RegistryPolicyApplied'];
  const streamed = [
    'AccessRulesApplied',
    'ClusterUserMade',
    'CredentialsWork',
    'LevelPutBack',
    'PasswordWaits',
    'SchemaRegistered',
    'SchemaThere',
    'TopicThere',
  ];
  const done = [...made, ...settled, ...streamed, 'DatabaseProvisioned', 'DatabasePasswordMade', 'PartsDone'];
  const ofSteps = Object.keys(stepMessages).map((key) => key.split('.').at(-1) ?? key);
  const codes = new Set([...routes.flatMap((route) => route.codes), ...generalCodes, ...ofSteps, ...diagnosisCodes]);
  expect([...codes].filter((code) => !done.includes(code) && !page.includes(`\`${code}\``))).toEqual([]);
});

test('headings are named as GitHub names them, and links between pages become addresses', () => {
  const { html, title } = renderMarkdown(
    '# A & B\n\n## What `x` *is*\n\n[p](pipelines.md#cancel) [i](index.md) [w](https://example.com/a.md)\n\n    code',
  );
  expect(title).toBe('A & B');
  expect(html).toContain('<h2 id="what-x-is">');
  expect(html).toContain('href="/docs/pipelines/#cancel"');
  expect(html).toContain('href="/docs/"');
  expect(html).toContain('href="https://example.com/a.md"');
  expect(html).toContain('<pre tabindex="0">');
});

test.each([
  ['?app=berth', '/app/berth'],
  ['?app=berth&env=production', '/app/berth/production'],
  ['?app=berth&env=production&service=web', '/app/berth/production/service/web'],
  ['?app=berth&env=production&service=web&revision=web-2', '/app/berth/production/service/web/revision/web-2'],
  ['?app=berth&pipeline=pl_1', '/pipelines/pl_1'],
  ['?app=berth&team=cranes', '/team/cranes'],
  ['?team=a%2Fb', '/team/a%2Fb'],
])('a link with the properties %s leads to the console', (href, path) => {
  expect(renderMarkdown(`[page](${href})`).html).toContain(`href="${path}"`);
});

test('a page that is missing ends the start, not the first visit', () => {
  expect(() => mountGuide(Fastify(), resolve(directory, '..'))).toThrow('ENOENT');
});
