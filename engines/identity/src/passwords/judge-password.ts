// Checks a user name and password. The error is the same whether or not the name exists.
import { clientOf } from '@slipway/foundation/attempt-limit.ts';
import { TooBusy } from '@slipway/foundation/sign-in/password-queue.ts';
import { checkPassword } from './local-users.ts';
import type { SignInContext } from '../sign-in-context.ts';

export interface Refusal {
  readonly status: number;
  readonly problem: string;
  readonly retryAfterSeconds?: number;
}

const INCOMPLETE: Refusal = { status: 422, problem: 'Give your user name and your password.' };
const WRONG: Refusal = { status: 403, problem: 'The user name or the password is not right.' };
const BUSY: Refusal = {
  status: 503,
  problem: 'Too many people are signing in at this moment. Try again in a few seconds.',
  retryAfterSeconds: 5,
};
const tooMany = (seconds: number): Refusal => ({
  status: 429,
  problem: `Too many tries with this user name. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  retryAfterSeconds: seconds,
});

/** Returns the user's id, or the refusal. `address` is the socket's. */
export const judgePassword = async (
  { pool, log, attempts }: SignInContext,
  given: { username: string; password: string; address: string | undefined },
): Promise<string | Refusal> => {
  const { username, password, address } = given;
  if (username === '' || password === '') return INCOMPLETE;
  const attempt = attempts.take(`password of ${username.toLowerCase()}`, address);
  if (!attempt.isAllowed) return tooMany(attempt.secondsLeft);
  try {
    const id = await checkPassword(pool, { username, password, address: clientOf(address) });
    if (id === undefined) log.warn({ address }, 'sign-in: wrong user name or password');
    else attempt.forgive();
    return id ?? WRONG;
  } catch (error) {
    if (error instanceof TooBusy) return BUSY;
    throw error;
  }
};
