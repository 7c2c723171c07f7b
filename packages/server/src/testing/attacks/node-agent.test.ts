// @long: waits for limits, or starts programs
/**
 * Server and node agent are stopped and killed in turn, as a busy parser, a flooding service, the kernel or a person may do it. Neither
 * may stop the other; what dies comes back; what should end leaves nothing.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applicationList } from '@slipway/contract/application.ts';
import { actingAgent } from '@slipway/runtime/local/agent/agent-lock.ts';
import { descendants, killQuietly, readProcess } from '@slipway/runtime/sandbox/process-tree.ts';
import { until } from '#ports/runtime.suite-runtime.ts';
import { freePort } from '#testing/free-port.ts';
import { Program, askEdge, removeData, untilServed } from '../program.ts';

let dataDir: string;
let port: number;
let ingressPort: number;
let program: Program;
/** It outlives its server, which is what is tried with it; never this test. */
let survivor: number | undefined;

const start = (): Promise<Program> => Program.start(port, { SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: String(ingressPort) });
const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};
const serverPid = (): number => program.child.pid!;
const agentPid = (): number | undefined => actingAgent(join(dataDir, 'runtime'));
/** Returns the node agent's process ID. After a kill, waits until the next agent starts. */
const agent = (): Promise<number> => until('the node agent', async () => agentPid());
const isGone = (pid: number): boolean => readProcess(pid) === undefined;
const isStopped = (pid: number): boolean => / \(.*\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
const readiness = async (): Promise<{ status: number; services: string | undefined }> => {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  const { checks } = (await answer.json()) as { checks: Record<string, string> };
  return { status: answer.status, services: checks['services'] };
};
const ready = { status: 200, services: 'ok' };

/** So many requests at a steady rate, whatever becomes of those before; answers what was answered to those that failed. */
const failuresAmong = async (count: number): Promise<number[]> => {
  const asked: Promise<number>[] = [];
  for await (const _beat of setInterval(5)) if (asked.push(askEdge(ingressPort, 'berth')) === count) break;
  return (await Promise.all(asked)).filter((status) => status !== 200);
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-attack-'));
  [port, ingressPort] = [await freePort(), await freePort()];
});
afterAll(async () => {
  await program?.end('SIGKILL');
  if (survivor !== undefined) killQuietly(survivor, 'SIGKILL');
  await removeData(dataDir);
});

test('an edge that cannot take its port is reported at the start and by /readyz, and takes it when it is free', async () => {
  const other = net.createServer();
  await new Promise<void>((listening) => other.listen(ingressPort, '127.0.0.1', listening));
  program = await start();
  await expect.poll(() => program.output).toContain(`Services are NOT served: The ingress cannot listen on 127.0.0.1:${ingressPort}`);
  expect(program.output).toContain('SLIPWAY_INGRESS_PORT');
  expect(await readiness()).toEqual({ status: 503, services: `The ingress cannot listen on 127.0.0.1:${ingressPort}.` });
  other.close();
  await expect.poll(readiness).toEqual(ready);
});

test('a server that stands still fails no request to a service', async () => {
  await program.makeTeam();
  expect((await program.ended(await program.quickstart('berth'))).status.state).toBe('COMPLETED');
  process.kill(serverPid(), 'SIGSTOP');
  try {
    await expect.poll(() => isStopped(serverPid())).toBe(true);
    expect(await failuresAmong(400)).toEqual([]);
    expect(isStopped(serverPid())).toBe(true);
  } finally {
    process.kill(serverPid(), 'SIGCONT');
  }
  await expect.poll(readiness).toEqual(ready);
});

test('a node agent that stands still stops nothing of the API, and goes on where it was', async () => {
  const pid = await agent();
  const instances = descendants(pid).length;
  process.kill(pid, 'SIGSTOP');
  try {
    await program.call(applicationList);
    await expect.poll(readiness).toEqual({ status: 503, services: 'The node agent stands still.' });
    await program.call(applicationList);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expect.poll(readiness).toEqual(ready);
  expect(await askEdge(ingressPort, 'berth')).toBe(200);
  expect(await agent()).toBe(pid);
  expect(descendants(pid)).toHaveLength(instances);
});

test('a node agent that is killed takes its instances along, and everything comes back by itself', async () => {
  const before = descendants(await agent()).map(({ pid }) => pid);
  expect(before.length).toBeGreaterThan(1);
  process.kill(await agent(), 'SIGKILL');
  await expect.poll(() => before.every(isGone)).toBe(true);
  await untilServed(ingressPort, 'berth');
  await expect.poll(readiness).toEqual(ready);
  expect(before).not.toContain(await agent());
  expect(program.output).toContain('The node agent has ended');
  // Again at once: it waits a little longer, and comes back all the same.
  process.kill(await agent(), 'SIGKILL');
  await expect.poll(readiness).toMatchObject({ status: 503 });
  await untilServed(ingressPort, 'berth');
});

test('without a grace a server that is killed takes its node agent along, and all that runs in it', async () => {
  const inside = descendants(await agent()).map(({ pid }) => pid);
  await program.end('SIGKILL');
  await expect.poll(() => inside.every(isGone)).toBe(true);
  expect(await askEdge(ingressPort, 'berth')).toBe(0);
  program = await start();
  await untilServed(ingressPort, 'berth');
});

test('a node agent that stood still when its server was killed is ended by the next one', async () => {
  const pid = await agent();
  survivor = pid;
  process.kill(pid, 'SIGSTOP');
  await expect.poll(() => isStopped(pid)).toBe(true);
  await program.end('SIGKILL');
  expect(isGone(pid)).toBe(false);
  program = await start();
  await untilServed(ingressPort, 'berth');
  expect(isGone(pid)).toBe(true);
  await expect.poll(readiness).toEqual(ready);
});

test('no key and no secret of the server stands in the environment or on the command line of its agent', async () => {
  const environment = readFileSync(`/proc/${await agent()}/environ`, 'utf8')
    .split('\0')
    .map((line) => line.split('=')[0]);
  expect(environment.filter((name) => name?.startsWith('SLIPWAY') || name === 'DATABASE_URL')).toEqual([]);
  expect(
    commandLine(await agent())
      .replaceAll('\0', ' ')
      .trim(),
  ).toBe('slipway-agent');
  expect(await program.end('SIGINT')).toBe(0);
});
