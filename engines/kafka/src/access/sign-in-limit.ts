/**
 * Slows down password guessing. Counts only failures: of one user from one address, and of all users from one address. A client that keeps
 * trying an old password only locks out itself, for a minute at most.
 */
import { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';

/** Passwords are random and long. A misconfigured client retries about every second, so the limit leaves time to correct its password. */
const FAILURES_OF_A_USER = 30;
/** Ten misconfigured clients at one address. Attempts that are rejected before the comparison do not count. */
const FAILURES_OF_AN_ADDRESS = 300;

export interface SignInLimit {
  /** Returns the seconds to wait after too many failures. */
  secondsLeft(user: string, host: string): number | undefined;
  failed(user: string, host: string): void;
  succeeded(user: string, host: string): void;
}

export const makeSignInLimit = (now: () => number): SignInLimit => {
  const users = new AttemptLimit({ now, maxTries: FAILURES_OF_A_USER });
  const addresses = new AttemptLimit({ now, maxTries: FAILURES_OF_AN_ADDRESS });
  return {
    secondsLeft(user, host) {
      const attempts = [users.look(user, host), addresses.look('', host)];
      const refused = attempts.filter(({ isAllowed }) => !isAllowed);
      return refused.length === 0 ? undefined : Math.max(...refused.map(({ secondsLeft }) => secondsLeft));
    },
    failed(user, host) {
      users.look(user, host).count();
      addresses.look('', host).count();
    },
    succeeded(user, host) {
      users.look(user, host).forgive();
    },
  };
};
