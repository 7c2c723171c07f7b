/** Asks every engine when somebody looks, and once a minute, so that a page says since when an engine is away. */
import type { EngineHealth } from '@slipway/contract/operations.ts';
import { runProbe } from '#kernel/findings.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { withoutCredentials } from '#kernel/without-credentials.ts';
import { keptReading } from '../kept-reading.ts';
import type { ProbedEngine } from './engine-probes.ts';

const FRESH_MS = 5000;
const TIMEOUT_MS = 4000;
const EVERY_MS = 60_000;
/** Messages of engines may be long. */
const LONGEST = 300;

type Seen = Omit<EngineHealth, 'credentialsAt'>;
type Answer = Pick<EngineHealth, 'state' | 'version' | 'failure' | 'next'>;

const keyOf = ({ id, place = '' }: ProbedEngine): string => `${id} ${place}`;

/** An engine that names its version answers, whatever else fails. */
const ask = async ({ isUsed, probe }: ProbedEngine): Promise<Answer> => {
  let isAsked = true;
  const { answer, findings } = await runProbe(async (found) => {
    isAsked = !isUsed || (await isUsed());
    return isAsked ? probe(found) : undefined;
  }, TIMEOUT_MS);
  const version = answer ?? null;
  const worst = findings.find(({ state }) => state === 'failed') ?? findings.find(({ state }) => state === 'warning');
  if (!worst) return { state: isAsked ? 'OK' : 'UNUSED', version, failure: null, next: null };
  const state = worst.state === 'failed' && version === null ? 'FAILED' : 'DEGRADED';
  const failure = withoutCredentials(worst.message).slice(0, LONGEST);
  return { state, version, failure, next: worst.next ?? null };
};

export class EngineWatch {
  readonly #engines: readonly ProbedEngine[];
  readonly #seen = new Map<string, Seen>();
  /** Results that are a few seconds old are good enough. Several callers share one round. */
  readonly #round = keptReading(FRESH_MS, () => this.#ask());
  #looking: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(engines: readonly ProbedEngine[]) {
    this.#engines = engines;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async look(): Promise<readonly Seen[]> {
    await (this.#looking = this.#round(undefined));
    return this.#engines.flatMap((engine) => this.#seen.get(keyOf(engine)) ?? []);
  }

  async #ask(): Promise<void> {
    await mapLimited(this.#engines, async (engine) => {
      const startedAtMs = performance.now();
      const answer = await ask(engine);
      const { id, place = null, technology } = engine;
      const key = keyOf(engine);
      const before = this.#seen.get(key);
      const checkedAt = new Date().toISOString();
      this.#seen.set(key, {
        id,
        place,
        technology,
        ...answer,
        // An engine that is away still says which version it had.
        version: answer.version ?? before?.version ?? null,
        since: before?.state === answer.state ? before.since : checkedAt,
        latencyMs: Math.round(performance.now() - startedAtMs),
        checkedAt,
      });
    });
  }
}
