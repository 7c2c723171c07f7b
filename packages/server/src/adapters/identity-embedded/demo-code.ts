// Giving the demo code: by the link that the start prints, or typed on a page.
import { countAttempt } from './attempt-limit.ts';
import type { DemoDoor } from './demo-door.ts';
import { redirect, replyPage } from './reply.ts';
import type { Exchange, SignInContext } from './sign-in-context.ts';
import { codePage } from './sign-in-pages.ts';

export const DEMO_PATH = '/oidc/slipway/demo';

const WRONG = 'This is not the code of this installation.';
const tooMany = (seconds: number): string => `Too many wrong codes. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;

/** Checks a code, and either remembers the browser and sends it to `next`, or shows the page for the code again. */
export const giveCode = async (
  { pool, log }: SignInContext,
  door: DemoDoor,
  { response, url }: Exchange,
  { code, next }: { code: string; next: string },
): Promise<void> => {
  const action = url.pathname;
  const typed = code.slice(0, 20);
  // All tries count together: there is one code, and nobody's name to guess it for.
  const attempt = await countAttempt(pool, 'demo code');
  if (!attempt.isAllowed) {
    log.warn({}, 'sign-in: too many wrong demo codes');
    response.setHeader('retry-after', attempt.secondsLeft);
    return replyPage(response, 429, codePage({ action, typed, problem: tooMany(attempt.secondsLeft) }));
  }
  if (!door.isRight(code)) return replyPage(response, 403, codePage({ action, typed, problem: WRONG }));
  await attempt.forgive();
  response.setHeader('set-cookie', door.remember());
  redirect(response, next);
};

/** The printed link. It leads to the console, which asks this browser to sign in. */
export const answerDemoLink = async (context: SignInContext, door: DemoDoor, exchange: Exchange): Promise<void> => {
  const { request, response, url, form } = exchange;
  const code = form?.get('code') ?? url.searchParams.get('code');
  if (code !== null && code !== undefined) return giveCode(context, door, exchange, { code, next: '/' });
  if (door.isOpenTo(request)) return redirect(response, '/');
  replyPage(response, 200, codePage({ action: url.pathname }));
};
