// Entering the demo code on a sign-in page: typed, or filled in from the link printed at startup.
import type { DemoDoor } from './demo-guard.ts';
import { redirect, replyPage } from '../reply.ts';
import type { Exchange, SignInContext } from '../sign-in-context.ts';
import { codePage } from '../sign-in-pages.ts';

const WRONG = 'This is not the code of this installation.';
const tooMany = (seconds: number): string => `Too many wrong codes. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;

/** Checks a submitted code. If it is right, remembers the browser together with `key`; otherwise shows the code page again. */
export const giveCode = async (
  { attempts, log }: SignInContext,
  door: DemoDoor,
  { request, response, url }: Exchange,
  { code, key }: { code: string; key: string },
): Promise<void> => {
  const action = url.pathname;
  const typed = code.slice(0, 20);
  const attempt = attempts.take('demo code', request.socket.remoteAddress);
  if (!attempt.isAllowed) {
    log.warn({}, 'sign-in: too many wrong demo codes');
    response.setHeader('retry-after', attempt.secondsLeft);
    return replyPage(response, 429, codePage({ action, typed, problem: tooMany(attempt.secondsLeft) }));
  }
  if (!door.isRight(code)) return replyPage(response, 403, codePage({ action, typed, problem: WRONG }));
  attempt.forgive();
  response.setHeader('set-cookie', door.remember(key));
  redirect(response, action);
};
