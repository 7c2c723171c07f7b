// @long: tries an engine by itself, which the tests of modules use, too
/** The holder of the embedded runtime: taking the port, dying unexpectedly, and cleanup by the next holder. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { descendants, readProcess } from '../sandbox/process-tree.ts';
import { until } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { markProcess } from './instance/instance-directory.ts';
import { makeLocalSubject, sampleSpec, type LocalSubject } from './runtime-subject.fixture.ts';
import { secretDirectory } from './instance/secret-directory.ts';

const subjects: LocalSubject[] = [];
const make = async (...options: Parameters<typeof makeLocalSubject>): Promise<LocalSubject> => {
  const subject = await makeLocalSubject(...options);
  subjects.push(subject);
  return subject;
};
afterEach(async () => {
  await Promise.all(subjects.splice(0).map((subject) => subject.close()));
});

const isGone = (pid: number): boolean => readProcess(pid) === undefined;

test('a killed holder leaves no process, and the next one cleans up and starts again', async () => {
  const { dataDir, ingressPort, rootfs, runtime } = await make();
  const holder = spawn(
    process.execPath,
    [fileURLToPath(new URL('./holder.fixture.ts', import.meta.url)), dataDir, rootfs, String(ingressPort)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  holder.stdout.on('data', (chunk) => (output += String(chunk)));
  await until('two healthy instances', async () => (output.match(/Healthy/g)?.length ?? 0) === 2);
  const pids = descendants(holder.pid!).map(({ pid }) => pid);
  // Two instances, each with its wrapper, first process and program.
  expect(pids.length).toBeGreaterThanOrEqual(5);
  process.kill(holder.pid!, 'SIGKILL');
  await until('the end of all its processes', async () => pids.every(isGone));
  expect(readdirSync(join(dataDir, 'instances'))).toHaveLength(2);

  await runtime.acquire();
  expect(readdirSync(join(dataDir, 'instances'))).toEqual([]);
  await runtime.ensureRevision(sampleSpec('held-1'));
  await until('a ready instance', async () => (await runtime.list())[0]?.state === 'READY');
});

test('what outlived its holder is killed, a stranger under a used process id is not', async () => {
  const { dataDir, runtime } = await make();
  const sleeper = (): number => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }).pid!;
  const [leftOver, stranger] = [sleeper(), sleeper()];
  await until('their start', async () => readProcess(leftOver) !== undefined && readProcess(stranger) !== undefined);
  markProcess(dataDir, 'old-1-aaaaaa', leftOver);
  // As if the pid had belonged to another process before.
  markProcess(dataDir, 'old-1-bbbbbb', 1);
  writeFileSync(join(dataDir, 'instances/old-1-bbbbbb/process.json'), JSON.stringify({ pid: stranger, startTicks: 1 }));
  await runtime.acquire();
  await until('its end', async () => isGone(leftOver));
  expect(isGone(stranger)).toBe(false);
  process.kill(stranger, 'SIGKILL');
});

test('the ingress port is waited for, but not forever', async () => {
  const { ingressPort, runtime } = await make({ timings: { acquireMs: 600 } });
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(ingressPort, '127.0.0.1', resolve));
  await expect(runtime.acquire()).rejects.toMatchObject({ kind: 'unavailable' });
  const acquiring = runtime.acquire();
  other.close();
  await acquiring;
});

test('who does not hold the runtime cannot change it, but can read logs', async () => {
  const { runtime } = await make();
  await expect(runtime.ensureRevision(sampleSpec('held-1'))).rejects.toMatchObject({ kind: 'unavailable' });
  await runtime.acquire();
  await runtime.ensureRevision(sampleSpec('held-1'));
  await until('a log', async () => {
    for await (const line of runtime.logs(sampleSpec('held-1'), {})) if (line.line === 'listening') return true;
    return false;
  });
  await runtime.release();
  expect(await runtime.list()).toEqual([]);
  await expect(runtime.ensureRevision(sampleSpec('held-1'))).rejects.toMatchObject({ kind: 'unavailable' });
  await runtime.acquire();
});

test('stopping leaves nothing but logs', async () => {
  const { dataDir, runtime } = await make();
  await runtime.acquire();
  await runtime.ensureRevision({ ...sampleSpec('held-1'), files: [{ mountPath: '/run/secrets', files: { key: 'geheim' } }] });
  await until('a ready instance', async () => (await runtime.list())[0]?.state === 'READY');
  const [instance] = readdirSync(join(dataDir, 'instances'));
  const secrets = secretDirectory(dataDir, instance ?? '');
  expect(readdirSync(secrets)).toEqual(['files-1']);
  // In memory on Linux, never below the data directory.
  expect(secrets.startsWith('/dev/shm/')).toBe(process.platform === 'linux');
  await runtime.close();
  expect(readdirSync(join(dataDir, 'instances'))).toEqual([]);
  expect(existsSync(secrets)).toBe(false);
  expect(existsSync(join(dataDir, 'logs/shop/development/held/held-1'))).toBe(true);
});
