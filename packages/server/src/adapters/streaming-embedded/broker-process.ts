/** The broker's process: starts it with a lifeline, waits until it is ready, checks its health, and stops it gracefully. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { BrokerReady, type BrokerInput } from '@slipway/kafka/program.ts';
import { compileCacheEnv } from '#kernel/compile-cache.ts';
import type { KeptProcess } from '#kernel/engines/keep-running.ts';
import { StartError } from '#kernel/start-error.ts';
import type { BrokerDirectory } from './broker-directory.ts';
import { answersInTime } from './broker-health.ts';

export interface BrokerLaunch {
  readonly program: string;
  readonly directory: BrokerDirectory;
  readonly options: Omit<BrokerInput, 'directory'>;
  /** How long to wait for a previous broker, whose owner has just died, to release its files and ports. */
  readonly patienceMs?: number | undefined;
}

const START_MS = 60_000;
/** Below the platform's own shutdown limit of 20 s. */
const STOP_MS = 10_000;
const SURVIVOR_MS = 15_000;
const LOG_BYTES = 10_000_000;
const MEMORY = ['--max-old-space-size=512'];
const LOOK_MS = 10_000;
const MOST_MISSES = 3;
const IS_HELD = /EADDRINUSE|address already in use|another broker works/;

/** Resolves when the broker listens. Throws with the tail of its log. */
export async function launchBroker(launch: BrokerLaunch): Promise<KeptProcess> {
  const deadline = performance.now() + (launch.patienceMs ?? SURVIVOR_MS);
  for (;;) {
    try {
      return await launchOnce(launch);
    } catch (error) {
      if (!IS_HELD.test(String(error)) || performance.now() > deadline) throw error;
      await delay(200);
    }
  }
}

async function launchOnce({ program, directory: { home, user }, options }: BrokerLaunch): Promise<KeptProcess> {
  const log = openLog(home);
  // A separate process group: Ctrl-C in the terminal reaches only the server, which stops everything in order.
  const child = spawn(process.execPath, [...MEMORY, program], {
    ...user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', log.descriptor],
    env: { PATH: process.env.PATH, TZ: 'UTC', ...compileCacheEnv() },
  });
  fs.closeSync(log.descriptor);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`The embedded broker ended with ${signal ?? `status ${code}`}: ${log.tail()}`));
  });
  const stop = async (): Promise<void> => {
    child.stdin?.end();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(late);
  };
  // The broker may exit before it reads its input. Its exit status is the better error.
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(`${JSON.stringify({ ...options, directory: home } satisfies BrokerInput)}\n`);
  try {
    await untilReady(child, exited);
  } catch (error) {
    await stop();
    throw error;
  }
  const [environment] = options.environments;
  if (environment) void watchHealth(child, exited, { host: reachedAt(options.host), port: environment.port });
  return { exited, stop };
}

/** Returns the host to connect to: loopback for brokers that listen on all addresses. */
export const reachedAt = (host: string): string => (['0.0.0.0', '::', 'localhost'].includes(host) ? '127.0.0.1' : host);

async function untilReady(child: ChildProcess, exited: Promise<string>): Promise<void> {
  if (!child.stdout) throw new StartError('The embedded broker has no output');
  const lines = createInterface({ input: child.stdout });
  const said = new Promise<'ready' | 'odd'>((resolve) =>
    lines.once('line', (line) => resolve(BrokerReady.safeParse(parsed(line)).success ? 'ready' : 'odd')),
  );
  const timeout = new AbortController();
  const late = delay(START_MS, `The embedded broker did not get ready within ${START_MS / 1000} s`, { signal: timeout.signal }).catch(
    () => '',
  );
  const first = await Promise.race([said, exited, late]);
  timeout.abort();
  if (first !== 'ready')
    throw new StartError(first === 'odd' ? 'The embedded broker answered something else than that it is ready' : first);
  // Output after the ready line is discarded.
  child.stdout.resume();
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Kills a broker that accepts connections but does not answer. The supervisor then starts another one. */
async function watchHealth(child: ChildProcess, exited: Promise<string>, address: { host: string; port: number }): Promise<void> {
  const ended = new AbortController();
  void exited.then(() => ended.abort());
  for (let misses = 0; !ended.signal.aborted;) {
    await delay(LOOK_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    if (ended.signal.aborted) return;
    misses = (await answersInTime(address)) ? 0 : misses + 1;
    if (misses >= MOST_MISSES) child.kill('SIGKILL');
  }
}

function openLog(home: string): { descriptor: number; tail: () => string } {
  const file = path.join(home, 'broker.log');
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) fs.renameSync(file, `${file}.1`);
  const descriptor = fs.openSync(file, 'a', 0o600);
  const start = fs.fstatSync(descriptor).size;
  const tail = () => fs.readFileSync(file).subarray(start).toString('utf8').trim().split('\n').slice(-4).join(' | ');
  return { descriptor, tail };
}
