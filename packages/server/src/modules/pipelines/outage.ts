/** Distinguishes transient failures from permanent failures, and waits between tries. */
import { setTimeout as delay } from 'node:timers/promises';
import { isNoSpace, PLATFORM_DISK_FULL } from '#kernel/no-space.ts';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Lease } from './lease.ts';

/** First and longest wait, in milliseconds. Each wait is twice as long as the wait before. */
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
  /** Reason for users. `detail` is for operators. */
  readonly reason: string;
  readonly detail: string;
}
const noAnswer = (engine: string): string => `the ${engine} does not answer`;
/**
 * Returns the unavailable engine by its displayed name, or the full disk. Returns undefined for failures that a retry would only repeat.
 */
export function outageOf(error: unknown): EngineOutage | undefined {
  const code = 'EngineUnavailable';
  if (isNoSpace(error)) {
    const reason = 'the disk of the platform is nearly full';
    return { code: PLATFORM_DISK_FULL, engine: 'disk', reason, detail: errorMessage(error) };
  }
  if (isPortFailure(error, 'unavailable')) {
    const engine = error.context.engine ?? 'engine';
    return { code: error.code ?? code, engine, reason: noAnswer(engine), detail: error.message };
  }
  if (isPassing(error)) return { code, engine: 'database', reason: noAnswer('database'), detail: errorMessage(error) };
  return undefined;
}

/** SQLSTATE codes of the transaction that lost a race. Another try succeeds. */
const LOST_RACE = new Set(['40001', '40P01']);

export const isPassing = (error: unknown): boolean =>
  isDatabaseOutage(error) || isStatementTimeout(error) || LOST_RACE.has(errorCode(error) ?? '');

/**
 * Repeats the engine's reads and writes of its own rows while the database is unavailable or its disk is full. Throws LeaseLost, or an
 * error that a retry cannot fix.
 */
export async function durably<Result>(lease: Pick<Lease, 'check' | 'lost'>, write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    lease.check();
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error) && !isNoSpace(error)) throw error;
      await wait(waitMs(attempt, DATABASE_BACKOFF), lease.lost).catch(() => lease.check());
    }
  }
}
