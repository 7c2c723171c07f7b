/** Waits for a cluster to converge: a broker acknowledges a write before every broker shows it, and leaders move during requests. */
import { setTimeout as delay } from 'node:timers/promises';
import { isPortFailure } from '#ports/failure.ts';
import { PassingFailure } from './failures.ts';

const PASSING_MS = 8000;
const FIRST_PAUSE_MS = 50;
const MOST_PAUSE_MS = 500;
const SHOWN_MS = 10_000;

/**
 * Retries while the cluster moves leaders. If the work is repeatable, also retries once after a connection broke, because idle connections
 * may be dead.
 */
export async function steadily<T>(work: () => Promise<T>, { isRepeatable = true } = {}): Promise<T> {
  const deadline = performance.now() + PASSING_MS;
  let hasFailed = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isWorthIt = error instanceof PassingFailure ? performance.now() < deadline : isRepeatable && !hasFailed;
      if (!isPortFailure(error, 'unavailable') || !isWorthIt) throw error;
      hasFailed = true;
      await delay(pauseMs);
    }
  }
}

/** Waits until the change is visible, or until it should be. The cluster has accepted the change, so it can only be late. */
export async function untilShown(isShown: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + SHOWN_MS;
  for (let pauseMs = FIRST_PAUSE_MS; !(await isShown()) && performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS))
    await delay(pauseMs);
}
