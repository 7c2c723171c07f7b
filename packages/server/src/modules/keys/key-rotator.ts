/** Runs key rotations, one worker at a time. If that worker dies, another one resumes the rotation on its next sweep. */
import type { Pool } from 'pg';
import { tryLock } from '#db/advisory-lock.ts';
import { runningRotation } from './keys.sql.ts';
import { carryOut, type RotationDeps } from './rotate.ts';

const SWEEP_MS = 1000;
const LOCK = 'slipway:key-rotation';

export class KeyRotator {
  readonly #deps: RotationDeps;
  readonly #pool: Pool;
  #timer: NodeJS.Timeout | undefined;
  #stopping = new AbortController();
  #working: Promise<void> | undefined;

  constructor(deps: RotationDeps, pool: Pool) {
    this.#deps = deps;
    this.#pool = pool;
  }

  start(): void {
    this.#timer = setInterval(() => this.sweep(), SWEEP_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#working;
  }

  sweep(): void {
    if (this.#stopping.signal.aborted) return;
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#deps.log.warn({ err: error }, 'The rotation of the key is held up; trying again');
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #work(): Promise<void> {
    const rotation = await runningRotation(this.#deps.db);
    if (!rotation) return;
    // Uses its own session, so that PostgreSQL releases the lock as soon as this process is gone.
    const client = await this.#pool.connect();
    let isLocked = false;
    try {
      isLocked = await tryLock(client, LOCK);
      if (isLocked) await carryOut(this.#deps, rotation.id, this.#stopping.signal);
    } finally {
      // A session that still holds the lock must not return to the pool.
      client.release(isLocked);
    }
  }
}
