// @long: starts, ends and kills programs
/**
 * Somebody's code tries to read the platform: as a build script, and as a running service. It looks for what the test has hidden in the
 * platform's environment and data directory, and for the platform's processes, database and keys; it must find none of them.
 */
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pipelineStepLogs } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import { testApp, type TestApp } from './app.ts';
import { opened, type Findings, type Targets } from './attack.fixture.ts';

const SECRET = 'a-secret-of-the-platform';
const { tier } = await detectSandbox();

/** The source that does it: once when it is built, and again when it runs. */
const program = (targets: Targets): Record<string, string> => ({
  'attack.ts': readFileSync(new URL('attack.fixture.ts', import.meta.url), 'utf8'),
  'targets.json': JSON.stringify(targets),
  'findings.js': `import { attack } from './attack.ts';
import targets from './targets.json' with { type: 'json' };
export const findings = JSON.stringify(await attack(targets));\n`,
  'build.js': `import { writeFileSync } from 'node:fs';
import { findings } from './findings.js';
writeFileSync('built.json', findings);
console.log('the build script ran');\n`,
  'main.js': `import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { findings } from './findings.js';
const pages = { '/running': findings, '/building': readFileSync('built.json', 'utf8') };
createServer((request, response) => response.end(pages[request.url] ?? 'ok')).listen(Number(process.env.PORT), process.env.HOST);\n`,
  'package.json': JSON.stringify({
    name: 'thief',
    type: 'module',
    scripts: { start: 'node main.js', build: 'node build.js' },
  }),
});

describe.skipIf(tier === 'host')('code of an app', () => {
  const formerly = process.env['TMPDIR'];
  let work: string;
  let app: TestApp;
  let url: string;
  let pipelineId: string;
  let targets: Targets;

  beforeAll(async () => {
    process.env['SLIPWAY_TEST_SECRET'] = SECRET;
    // So that the data directory, and whatever else the platform writes down, is known.
    process.env['TMPDIR'] = work = await mkdtemp(join(tmpdir(), 'slipway-isolation-'));
    // Others may pass, so that the directories below have to hold on their own.
    await chmod(work, 0o711);
    app = await testApp({
      templates: async () =>
        Object.entries(program(targets)).map(([path, text]) => ({ path, content: Buffer.from(text), isExecutable: false })),
    });
    const data = (await readdir(work)).filter((name) => name.startsWith('slipway-app-')).map((name) => join(work, name));
    for (const path of data) await new FileKeys(join(path, 'keys')).currentKid();
    const { host } = app.database.config;
    targets = {
      paths: [...data.flatMap((path) => ['', 'keys', 'keys/1.key', 'git'].map((name) => join(path, name))), work, host, process.cwd()],
      sockets: [join(host, '.s.PGSQL.5432')],
      pids: [process.pid, process.ppid],
    };
    const body = { id: 'thief', teamId: 'cranes', template: 'node-http-api' };
    const run = await app.run('member', quickstartApplicationCreate, { body });
    expect(run).toMatchObject({ statusMessage: null, status: { state: 'COMPLETED' } });
    ({ pipelineId } = run);
    const params = { app: 'thief', env: 'development', service: 'thief' };
    url = ((await app.call('member', serviceView, { params })).body as Service).status.url ?? '';
  });
  afterAll(async () => {
    await app?.close();
    for (const name of ['SLIPWAY_TEST_SECRET', 'TMPDIR']) delete process.env[name];
    if (formerly !== undefined) process.env['TMPDIR'] = formerly;
    await rm(work, { recursive: true, force: true });
  });

  test('the targets are there, and open to the platform itself', () => {
    expect(opened(targets.paths)).toEqual(targets.paths);
    expect(process.env['SLIPWAY_TEST_SECRET']).toBe(SECRET);
    expect(targets.pids.every((pid) => process.kill(pid, 0))).toBe(true);
  });

  test.each(['running', 'building'])('%s, cannot read the data directory, environment or keys', async (when) => {
    const { status, text } = await app.get(`${url}${when}`);
    expect(status).toBe(200);
    const found = JSON.parse(text) as Findings;
    expect(found).toMatchObject({ opened: [], written: [], connected: [], signalled: [] });
    expect(found.env).not.toContain(SECRET);
    expect(found.env).not.toMatch(/DATABASE_URL|VITEST/);
    // Who it is, and nothing of the platform's own settings.
    const reported = Object.keys(JSON.parse(found.env) as object).filter((name) => name.startsWith('SLIPWAY'));
    const known = ['SLIPWAY_ENVIRONMENT', 'SLIPWAY_REGION', 'SLIPWAY_REVISION', 'SLIPWAY_SERVICE', 'SLIPWAY_URL'];
    expect(reported.toSorted()).toEqual(when === 'running' ? known : []);
    expect(found.processes.filter((line) => /vitest|postgres/.test(line))).toEqual([]);
    expect(found.uid).not.toBe(0);
  });

  test('nothing of the platform stands in the log of the build', async () => {
    const { body } = await app.call('member', pipelineStepLogs, { params: { pipelineId, step: 'BuildImage' } });
    const lines = (body as { line: string }[]).map(({ line }) => line).join('\n');
    expect(lines).toContain('the build script ran');
    for (const path of [...targets.paths, SECRET]) expect(lines).not.toContain(path);
  });
});
