// @long: installs GrowthBook's Python SDK
/** GrowthBook's Python SDK, unmodified, against the server. PYTHON_GROWTHBOOK names a Python that has it; otherwise pip installs it. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { flagCreate, flagSettingsUpdate } from '@slipway/contract/flag/flag.ts';
import { flagKeyCreate, type FlagKey } from '@slipway/contract/flag/flag-key.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-python-'));
/** Returns a Python with the SDK, or why there is none. */
const pythonOf = (): { python: string } | { missing: string } => {
  const given = process.env['PYTHON_GROWTHBOOK'];
  if (given) return { python: given };
  const made = spawnSync('python3', ['-m', 'venv', directory], { encoding: 'utf8' });
  if (made.status !== 0) return { missing: made.stderr || 'there is no python3' };
  const python = join(directory, 'bin/python');
  const installed = spawnSync(python, ['-m', 'pip', 'install', '--quiet', 'growthbook'], { encoding: 'utf8', timeout: 120_000 });
  return installed.status === 0 ? { python } : { missing: installed.stderr };
};
const found = pythonOf();
if ('missing' in found) console.warn(`NOT TESTED with GrowthBook's Python SDK: ${found.missing}`);

const program = `
import json, sys
from growthbook import GrowthBook
host, key, secret = sys.argv[1], sys.argv[2], sys.argv[3]
seen = []
for person in json.loads(sys.argv[4]):
    gb = GrowthBook(api_host=host, client_key=key, decryption_key=secret, attributes={"id": person, "teams": ["cranes"] if person == "mei" else []})
    gb.load_features()
    seen.append([gb.is_on("teams"), gb.is_on("quarter"), gb.get_feature_value("rows", 0)])
    gb.destroy()
print(json.dumps(seen))
`;
let app: TestApp;
const place = { app: 'yard', env: 'production' };
const call = async <T>(route: RouteShape, params: object, body: unknown): Promise<T> => {
  const answer = await app.call('member', route, { params: { ...place, ...params }, body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body as T;
};

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'yard' });
});
afterAll(async () => {
  await app.close();
  rmSync(directory, { recursive: true, force: true });
});

test.skipIf('missing' in found)(
  'teams, shares and values are the same in Python, plain and encrypted',
  async () => {
    const python = 'python' in found ? found.python : '';
    const rules = { teams: [{ teams: ['cranes'], value: true }], quarter: [{ percentage: 25, value: true }], rows: [] };
    for (const [flag, own] of Object.entries(rules)) {
      await call(flagCreate, {}, { name: flag, ...(flag === 'rows' && { type: 'NUMBER', value: 7 }) });
      await call(flagSettingsUpdate, { flag }, { basedOn: 1, rules: own.map((rule, at) => ({ id: `r${at}`, effect: 'SERVE', ...rule })) });
    }
    const people = ['mei', ...Array.from({ length: 20 }, (_, at) => `person-${at}`)];
    const seenBy = async (mode: string): Promise<unknown[][]> => {
      const { clientKey, decryptionKey } = await call<FlagKey>(flagKeyCreate, {}, { name: mode.toLowerCase(), mode });
      const { stdout } = await promisify(execFile)(python, [
        '-c',
        program,
        app.url,
        clientKey,
        decryptionKey ?? '',
        JSON.stringify(people),
      ]);
      return JSON.parse(stdout) as unknown[][];
    };
    const plain = await seenBy('PLAIN');
    expect(plain.map(([teams, , rows]) => [teams, rows])).toEqual(people.map((person) => [person === 'mei', 7]));
    const answer = await fetch(
      `${app.url}/api/eval/${(await call<FlagKey>(flagKeyCreate, {}, { name: 'remote', mode: 'REMOTE' })).clientKey}`,
      { method: 'POST', body: JSON.stringify({ attributes: { id: 'mei' } }) },
    );
    const { features } = (await answer.json()) as { features: Record<string, { defaultValue: unknown }> };
    expect(plain[0]?.[1]).toBe(features['quarter']?.defaultValue);
    expect(plain.filter(([, quarter]) => quarter === true).length).toBeLessThan(people.length / 2);
    expect(await seenBy('ENCRYPTED')).toEqual(plain);
  },
  120_000,
);
