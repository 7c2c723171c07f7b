/** kill -9, of each part in turn, and how long it takes until the platform is ready and every URL answers. */
import { setTimeout as delay } from 'node:timers/promises';
import { killQuietly } from '@slipway/runtime/sandbox/process-tree.ts';
import type { Random } from '#testing/storm/random.ts';
import { isAlive, until, type StormedPlatform } from './stormed-platform.ts';

export const killKinds = ['server', 'postmaster', 'both', 'instance', 'agent', 'broker', 'databases', 'server and broker'] as const;
export type KillKind = (typeof killKinds)[number];
const READY_MS = 120_000;
const PROBE_MS = 50;

export interface Recovery {
  readonly readyMs: number;
  /** Until every service that is to be served answered, for good; 0 where none ever failed. */
  readonly servedMs: number;
  readonly complaints: string[];
}

/** Asks every service again and again; tells when each of them answered after the last failure. */
class Watch {
  readonly #platform: StormedPlatform;
  readonly #served: () => string[];
  readonly #since = Date.now();
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #failing: string[] = [];
  #servedMs = 0;
  #rounds = 0;

  constructor(platform: StormedPlatform, served: () => string[]) {
    this.#platform = platform;
    this.#served = served;
    this.#watching = this.#watch();
  }

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const failed = await this.failing();
      if (failed.length === 0 && this.#failing.length > 0) this.#servedMs = Date.now() - this.#since;
      this.#failing = failed;
      this.#rounds += 1;
      await delay(PROBE_MS);
    }
  }

  /** An app that is taken down meanwhile is no failure. */
  async failing(): Promise<string[]> {
    const asked = await Promise.all(this.#served().map(async (app) => ({ app, status: await this.#platform.ask(app) })));
    const still = new Set(this.#served());
    return asked.filter(({ app, status }) => status !== 200 && still.has(app)).map(({ app, status }) => `${app} answers ${status}`);
  }

  /** Resolves when all answer. */
  async end(): Promise<{ servedMs: number; complaints: string[] }> {
    const seen = this.#rounds;
    const complaints = await until(async () => (this.#rounds > seen + 1 ? this.#failing : ['not asked yet']), READY_MS);
    this.#stopping.abort();
    await this.#watching;
    return { servedMs: this.#servedMs, complaints: complaints.map((text) => `${text} ${READY_MS / 1000} s after the kill`) };
  }
}

const ofServer: ReadonlySet<KillKind> = new Set(['server', 'both', 'server and broker']);

const victimsOf = (kind: KillKind, platform: StormedPlatform, random: Random): number[] => {
  const server = platform.program.child.pid ?? 0;
  const instance = random.of(platform.instances())?.pid;
  const victims: Readonly<Record<KillKind, () => number[]>> = {
    server: () => [server],
    postmaster: () => [platform.postmasterOf('pg')],
    both: () => [platform.postmasterOf('pg'), server],
    instance: () => (instance === undefined ? [] : [instance]),
    agent: () => platform.agents,
    broker: () => platform.brokers,
    databases: () => [platform.postmasterOf('databases/pg')],
    'server and broker': () => [...platform.brokers, server],
  };
  return victims[kind]();
};

/** Kills, starts again what nobody else does, and waits. `served`: the apps whose URLs must answer. */
export const strike = async (kind: KillKind, platform: StormedPlatform, random: Random, served: () => string[]): Promise<Recovery> => {
  const victims = victimsOf(kind, platform, random);
  if (victims.length === 0) throw new Error(`There is no ${kind} to kill`);
  await platform.disconnect();
  const since = Date.now();
  const watch = new Watch(platform, served);
  for (const pid of victims) killQuietly(pid, 'SIGKILL');
  if (ofServer.has(kind)) {
    await platform.end('SIGKILL');
    await platform.start();
  }
  const dead = await until(async () => victims.filter(isAlive).map((pid) => `${pid} outlived kill -9`), READY_MS);
  const ready = await until(async () => ((await platform.isReady()) ? [] : [`not ready ${READY_MS / 1000} s after the kill`]), READY_MS);
  const readyMs = Date.now() - since;
  const { servedMs, complaints } = await watch.end();
  return { readyMs, servedMs, complaints: [...dead, ...ready, ...complaints] };
};
