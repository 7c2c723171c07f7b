// @long: starts, ends and kills programs
/** One replica with everything embedded: Ctrl-C and kill -9 leave nothing running, and the next start carries on. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '#testing/free-port.ts';
import { leftOf, untilNothingIsLeft } from './storm/left-behind.ts';
import { Program, askEdge, removeData, untilServed } from './program.ts';

let dataDir: string;
let port: number;
let ingressPort: number;
let program: Program | undefined;

const start = () => Program.start(port, { SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: String(ingressPort) });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-program-'));
  port = await freePort();
  ingressPort = await freePort();
  program = await start();
});
afterAll(async () => {
  await program?.end('SIGTERM');
  await removeData(dataDir);
});

test.runIf(process.platform === 'linux')('kill -9 in mid-pipeline, then a start that finishes it; then Ctrl-C', async () => {
  if (!program) throw new Error('It did not start');
  expect(program.output).toMatch(/Sign in as admin with the password \S+ \(shown once\)/);
  await program.makeTeam();
  expect((await program.ended(await program.quickstart('berth-one'))).status.state).toBe('COMPLETED');
  const running = await leftOf(dataDir);
  expect(running.some((line) => line.includes('postgres'))).toBe(true);
  expect(running.some((line) => line.includes('/images/'))).toBe(true);
  const interrupted = await program.quickstart('berth-two');
  await program.end('SIGKILL');
  await untilNothingIsLeft(dataDir);
  expect(await askEdge(ingressPort, 'berth-one')).toBe(0);

  program = await start();
  expect(program.output).not.toContain('shown once');
  await untilServed(ingressPort, 'berth-one');
  const run = await program.ended(interrupted);
  expect(run.statusMessage).toBeNull();
  expect(run.status.state).toBe('COMPLETED');
  await untilServed(ingressPort, 'berth-two');

  expect(await program.end('SIGINT')).toBe(0);
  await untilNothingIsLeft(dataDir);
  program = await start();
  await untilServed(ingressPort, 'berth-two');
});

test('a second server on the same data directory is refused, and says why', async () => {
  const other = Program.start(await freePort(), { SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: String(await freePort()) });
  await expect(other).rejects.toThrow(/already|in use|another/i);
});

test.each([
  [{ PORT: 'http' }, 'PORT'],
  [{ SLIPWAY_ADMIN_TOKEN: 'short' }, 'SLIPWAY_ADMIN_TOKEN: must have at least 32 characters'],
  [{ SLIPWAY_PUBLIC_URL: 'https://slipway.example.com' }, 'SLIPWAY_ALLOW_FILE_KEYS'],
  [{ SLIPWAY_OIDC_AUTHORITY: 'https://sign-in.example.com' }, 'SLIPWAY_OIDC_CLIENT_ID is required'],
])('a wrong value stops the start with its name: %j', async (env, message) => {
  await expect(Program.start(await freePort(), { SLIPWAY_DATA: dataDir, ...(env as Record<string, string>) })).rejects.toThrow(message);
});
