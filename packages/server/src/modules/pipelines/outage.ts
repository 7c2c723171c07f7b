/** Tells failures that pass by themselves from those that do not, and waits between tries. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseOutage } from '#db/outage.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Lease } from './lease.ts';

/** First wait and longest wait, milliseconds; each wait is twice the one before. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}
const DATABASE_BACKOFF: Backoff = { firstMs: 50, longestMs: 1000 };

export const waitMs = (attempt: number, { firstMs, longestMs }: Backoff): number => Math.min(longestMs, firstMs * 2 ** (attempt - 1));

/** Waits, or throws at once when the signal aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal });

export interface EngineOutage {
  /** A message code of the catalogue. */
  readonly code: string;
  readonly engine: string;
  readonly detail: string;
}
/** The engine that is away, as the text shows it; undefined for failures that a second try would only repeat. */
export function outageOf(error: unknown): EngineOutage | undefined {
  const code = 'EngineUnavailable';
  if (isPortFailure(error, 'unavailable')) {
    return { code: error.code ?? code, engine: error.context.engine ?? 'engine', detail: error.message };
  }
  if (isPassing(error)) return { code, engine: 'database', detail: (error as Error).message };
  return undefined;
}

/** The loser of a race: another try wins. */
const LOST_RACE = new Set(['40001', '40P01']);

export const isPassing = (error: unknown): boolean => isDatabaseOutage(error) || LOST_RACE.has((error as { code?: string }).code ?? '');

/** Repeats what the engine reads and writes of its own rows while the database is away. Throws LeaseLost, or the error that no repeat helps. */
export async function durably<Result>(lease: Pick<Lease, 'check' | 'lost'>, write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    lease.check();
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await wait(waitMs(attempt, DATABASE_BACKOFF), lease.lost).catch(() => lease.check());
    }
  }
}
