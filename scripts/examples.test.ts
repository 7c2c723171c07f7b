// @long: starts, ends and kills programs
/**
 * Every block for a terminal in README and guide is run as it stands, in order, against the program with its demo apps. What stands for
 * something else is in example-table.ts, and so is what is not run, with the reason.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../packages/foundation/src/testing/free-port.ts';
import { Program, programToken, removeData } from '../packages/server/src/testing/program.ts';
import { buildConsole } from './build-console.ts';
import { allBlocks, blocksOf, root, type ExampleBlock } from './examples/blocks.ts';
import { ExampleShell } from './examples/shell.ts';
import { after, before, captured, concerns, needsRoot, notRun, placeholders, type ExamplePlace } from './examples/table.ts';

/** Builds and rollouts, on a machine with other work. */
const PATIENCE_MS = 240_000;
vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });

const blocks = allBlocks();
const isRun = (block: ExampleBlock): boolean => !notRun.some(concerns(block));
/** Programs that not every machine has. */
const optional = ['docker', 'skopeo', 'podman', 'jq'].filter((tool) => spawnSync('which', [tool]).status !== 0);
const missing = (block: ExampleBlock): string | undefined => {
  if (process.getuid?.() !== 0 && needsRoot.some(concerns(block))) return 'a machine that keeps services apart';
  return optional.find((tool) => new RegExp(`(?:^|[|(] ?)${tool} `, 'm').test(block.text));
};

let program: Program;
let folder: string;
let ingressPort: number;

const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const headers = { authorization: `Bearer ${programToken}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${program.port}${path}`;
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`);
  return answer.json();
};
const settled = (): Promise<unknown> =>
  vi.waitUntil(async () => ((await call('GET', '/api/v1/pipelines?active=true')) as { totalElements: number }).totalElements === 0, {
    timeout: PATIENCE_MS,
    interval: 250,
  });

beforeAll(async () => {
  buildConsole();
  folder = mkdtempSync(join(tmpdir(), 'slipway-examples-'));
  ingressPort = await freePort();
  const port = await freePort();
  program = await Program.start(port, {
    SLIPWAY_DATA: join(folder, 'data'),
    SLIPWAY_INGRESS_PORT: String(ingressPort),
    SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(await freePort()),
    SLIPWAY_KAFKA_PORT_PRODUCTION: String(await freePort()),
    SLIPWAY_DEMO: 'on',
    SLIPWAY_LOG_LEVEL: 'info',
  });
  await vi.waitUntil(() => program.output.includes('The demo teams and apps are made'), { timeout: PATIENCE_MS, interval: 100 });
});
afterAll(async () => {
  await program?.end('SIGTERM');
  await removeData(join(folder, 'data'));
  rmSync(folder, { recursive: true, force: true });
});

const valueAt = (json: unknown, path: readonly string[]): string =>
  String(path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], json));

describe.each([...new Set(blocks.filter(isRun).map(({ document }) => document))])('%s', (document) => {
  let shell: ExampleShell;
  let place: ExamplePlace;
  beforeAll(() => {
    const own = join(folder, document.replaceAll(/\W/g, '-'));
    mkdirSync(own);
    symlinkSync(join(root, 'examples'), join(own, 'examples'));
    const variables = { SLIPWAY_URL: `http://localhost:${program.port}`, SLIPWAY_TOKEN: programToken };
    shell = new ExampleShell({ folder: own, token: programToken, variables });
    const run = (script: string): Promise<string> => shell.run(script);
    place = { port: program.port, ingressPort, token: programToken, call, shell: run, settled: async () => void (await settled()) };
  });

  for (const block of blocks.filter((one) => one.document === document && isRun(one))) {
    const tool = missing(block);
    const name = `line ${block.line}: ${block.text.split('\n')[0]}`;
    test.skipIf(tool !== undefined)(tool === undefined ? name : `${name} (without ${tool})`, async () => {
      for (const { make } of before.filter(concerns(block))) await make(place);
      const text = placeholders(place).reduce((sum, [shown, meant]) => sum.replaceAll(shown, meant), block.text);
      expect(text).not.toMatch(/<[a-z]+>/);
      const printed = await shell.run(text);
      for (const { variable, path } of captured.filter(concerns(block)))
        await shell.run(`export ${variable}='${valueAt(JSON.parse(printed), path)}'`);
      // A push is heard of a moment after git has ended; whatever it starts has to succeed, too.
      await settled();
      for (const { make } of after.filter(concerns(block))) await make(place);
    });
  }
});

test('the scripts run without arguments, as far as they take none', async () => {
  const own = join(folder, 'scripts');
  mkdirSync(own);
  const variables = { SLIPWAY_URL: `http://localhost:${program.port}`, SLIPWAY_TOKEN: programToken };
  const shell = new ExampleShell({ folder: own, token: programToken, variables });
  expect(await shell.run(join(root, 'examples/quickstart.sh'))).toContain('HTTP 200');
});

test('no pipeline that an example started failed', async () => {
  const { content } = (await call('GET', '/api/v1/pipelines?size=100')) as {
    content: { type: string; status: { state: string }; subject: { name: string } }[];
  };
  // The demo scene shows a failure.
  const failed = content.filter(({ status, subject }) => status.state !== 'COMPLETED' && subject.name !== 'vessel-tracker-forecast');
  expect(failed).toEqual([]);
  expect(content.length).toBeGreaterThan(5);
});

test('each block that is not run, and each entry of the table, is about one that is there', () => {
  for (const about of [...notRun, ...needsRoot, ...before, ...after, ...captured])
    expect(
      blocks.filter((block) => concerns(block)(about)),
      about.holds,
    ).toHaveLength(1);
  const shown = blocks.map(({ text }) => text).join('\n');
  for (const [placeholder] of placeholders({ port: 1, ingressPort: 1, token: '' } as ExamplePlace)) expect(shown).toContain(placeholder);
});

test('commands in a block of another language would be seen', () => {
  const fence = '```';
  expect(() => blocksOf('a.md', `x\n${fence}text\ncurl http://localhost\n${fence}\n`)).toThrow('a.md:2 holds commands');
  expect(blocksOf('a.md', `${fence}sh\ncurl x\n${fence}\n\n${fence}json\n{}\n${fence}\n`)).toEqual([
    { document: 'a.md', line: 1, text: 'curl x\n' },
  ]);
});
