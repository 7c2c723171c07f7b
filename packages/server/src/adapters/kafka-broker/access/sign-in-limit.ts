/**
 * Slows guessing down. Failures alone count: of one user from one address, and of everybody from one address. A client that keeps trying an
 * old password locks out nobody but itself, and for a minute at most.
 */
import { AttemptLimit } from '#kernel/attempt-limit.ts';

/** Passwords are random and long, and a client with a wrong one tries again every second or so: room to put the right one in. */
const FAILURES_OF_A_USER = 30;
/** Ten clients with wrong passwords at one address; what is refused before it is compared does not count. */
const FAILURES_OF_AN_ADDRESS = 300;

export interface SignInLimit {
  /** How long to wait, where it has failed too often. */
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
