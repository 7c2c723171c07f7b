/** Asks every engine when somebody looks, and once a minute, so that a page says since when an engine is away. */
import type { EngineHealth } from '@slipway/contract/operations.ts';
import { errorMessage } from '#kernel/caught.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { keptReading } from '../kept-reading.ts';
import { EngineDegraded, type ProbedEngine } from './engine-probes.ts';

const FRESH_MS = 5000;
const TIMEOUT_MS = 4000;
const EVERY_MS = 60_000;
/** Messages of engines may be long. */
const LONGEST = 300;

type Seen = Omit<EngineHealth, 'credentialsAt'>;
interface Answer {
  readonly state: EngineHealth['state'];
  readonly version: string | null;
  readonly failure: string | null;
}

const timeout = (): { promise: Promise<never>; end: () => void } => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  return { promise, end: () => clearTimeout(timer) };
};

const keyOf = ({ id, place = '' }: ProbedEngine): string => `${id} ${place}`;

const ask = async ({ isUsed, probe }: ProbedEngine): Promise<Answer> => {
  const limit = timeout();
  try {
    const asked = async (): Promise<Answer> => {
      if (isUsed && !(await isUsed())) return { state: 'UNUSED', version: null, failure: null };
      return { state: 'OK', version: (await probe()) ?? null, failure: null };
    };
    return await Promise.race([asked(), limit.promise]);
  } catch (error) {
    const state = error instanceof EngineDegraded ? 'DEGRADED' : 'FAILED';
    return { state, version: null, failure: errorMessage(error).slice(0, LONGEST) };
  } finally {
    limit.end();
  }
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
