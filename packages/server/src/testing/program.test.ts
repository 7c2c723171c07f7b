/** One replica with everything embedded: Ctrl-C and kill -9 leave nothing running, and the next start carries on. */
import { mkdtemp, readFile, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './app.ts';
import { PATIENCE_MS } from './patience.ts';
import { Program, askEdge, removeData, untilServed } from './program.ts';

let dataDir: string;
let port: number;
let ingressPort: number;
let program: Program | undefined;

const start = () => Program.start(port, { SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: String(ingressPort) });

const textOf = (pid: string, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');

/** What a sandbox shows as an image, by its place on the disk; the command lines inside name nothing of the platform. */
const imageOf = (mounts: string): string => / (\S+) (?:\/|\/image) \S+ /.exec(mounts)?.[1] ?? '';

/** Processes that have to do with the data directory, by command line or by image: the database, the sandboxes, builds. */
const left = async (): Promise<string[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(
    pids.map(async (pid) => {
      const images = (await textOf(pid, 'mountinfo')).split('\n').map(imageOf);
      return [(await textOf(pid, 'cmdline')).replaceAll('\0', ' '), ...images].join(' ');
    }),
  );
  // As root the database lies elsewhere, behind a link.
  const places = [dataDir, await realpath(join(dataDir, 'pg'))];
  return lines.filter((line) => places.some((place) => line.includes(place)));
};

const untilNothingIsLeft = async (): Promise<void> => {
  const since = Date.now();
  for (;;) {
    const lines = await left();
    if (lines.length === 0) return;
    if (Date.now() - since > PATIENCE_MS) throw new Error(`Left behind: ${lines.map((line) => line.slice(0, 200)).join('\n')}`);
    await delay(50);
  }
};

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
  const running = await left();
  expect(running.some((line) => line.includes('postgres'))).toBe(true);
  expect(running.some((line) => line.includes('/images/'))).toBe(true);
  const interrupted = await program.quickstart('berth-two');
  await program.end('SIGKILL');
  await untilNothingIsLeft();
  expect(await askEdge(ingressPort, 'berth-one')).toBe(0);

  program = await start();
  expect(program.output).not.toContain('shown once');
  await untilServed(ingressPort, 'berth-one');
  const run = await program.ended(interrupted);
  expect(run.statusMessage).toBeNull();
  expect(run.status.state).toBe('COMPLETED');
  await untilServed(ingressPort, 'berth-two');

  expect(await program.end('SIGINT')).toBe(0);
  await untilNothingIsLeft();
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
