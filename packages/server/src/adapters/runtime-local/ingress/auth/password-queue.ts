/** Lets the edge check few passwords at a time: each takes a thread that files and DNS of the whole server need too. */
import { verifyEdgePassword } from '#kernel/auth/edge-password.ts';

const AT_A_TIME = 2;
/** About a second's worth. */
const MAX_WAITING = 32;

export class PasswordQueue {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** Undefined when so many wait already that one more would wait for seconds. */
  async verify(password: string, passwordHash: string): Promise<boolean | undefined> {
    if (this.#running < AT_A_TIME) this.#running++;
    else if (this.#waiting.length >= MAX_WAITING) return undefined;
    // Whoever is done hands the place on, so that the number of those running stays as it is.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await verifyEdgePassword(password, passwordHash);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
