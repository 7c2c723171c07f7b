// A sign-in in progress (`/oidc/slipway/login/{uid}`): shows the next page, handles its form, and passes on the identity.
import { errors, type InteractionResults } from 'oidc-provider';
import { textAt } from '@slipway/foundation/text-at.ts';
import type { SignInMethod } from './accounts.ts';
import { giveCode } from './demo/demo-code.ts';
import type { DemoDoor } from './demo/demo-guard.ts';
import { demoChoices } from './demo/demo-people.ts';
import { judgePassword } from './passwords/judge-password.ts';
import { expiredPage } from './provider-pages.ts';
import { replyPage } from './reply.ts';
import type { Exchange, SignInContext } from './sign-in-context.ts';
import { codePage, passwordPage, peoplePage } from './sign-in-pages.ts';

type Interaction = Awaited<ReturnType<SignInContext['provider']['interactionDetails']>>;

export const answerSignIn = async (context: SignInContext, exchange: Exchange, uid: string): Promise<void> => {
  const interaction = await interactionOf(context, exchange, uid);
  if (!interaction) return replyPage(exchange.response, 400, expiredPage());
  // A client may ask for consent, which the console does not need.
  if (interaction.prompt.name === 'consent') return finish(context, exchange, { consent: {} });
  return context.door ? answerDemo(context, context.door, exchange, interaction) : answerPassword(context, exchange, interaction);
};

const interactionOf = async (
  { provider }: SignInContext,
  { request, response }: Exchange,
  uid: string,
): Promise<Interaction | undefined> => {
  try {
    const interaction = await provider.interactionDetails(request, response);
    return interaction.uid === uid ? interaction : undefined;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
};

const answerDemo = async (context: SignInContext, door: DemoDoor, exchange: Exchange, interaction: Interaction): Promise<void> => {
  const { request, response, url, form } = exchange;
  const action = url.pathname;
  const hint = textAt(interaction.params, 'login_hint');
  // A client without its own key must enter the code at every sign-in.
  const key = textAt(interaction.params, 'dpop_jkt') ?? `sign-in ${interaction.uid}`;
  const code = form?.get('code');
  if (code !== null && code !== undefined) return giveCode(context, door, exchange, { code, key });
  // The console passes the printed link's code as the hint. It fills in the field, but the browser never submits it by itself.
  if (!door.isOpenTo(request, key)) return replyPage(response, form ? 403 : 200, codePage({ action, typed: hint?.slice(0, 20) }));
  const people = await demoChoices(context.pool, context.teamsOf);
  if (!form) return replyPage(response, 200, peoplePage(people, { action }));
  const chosen = people.find(({ id }) => id === form.get('identity'));
  if (!chosen) return replyPage(response, 422, peoplePage(people, { action, problem: 'Choose one of these people.' }));
  return signIn(context, exchange, interaction, chosen.id, 'demo');
};

const answerPassword = async (context: SignInContext, exchange: Exchange, interaction: Interaction): Promise<void> => {
  const { request, response, url, form } = exchange;
  const action = url.pathname;
  if (!form) return replyPage(response, 200, passwordPage({ action }));
  const username = (form.get('username') ?? '').trim().slice(0, 200);
  const password = (form.get('password') ?? '').slice(0, 1000);
  const verdict = await judgePassword(context, { username, password, address: request.socket.remoteAddress });
  if (typeof verdict === 'string') return signIn(context, exchange, interaction, verdict, 'pwd');
  if (verdict.retryAfterSeconds !== undefined) response.setHeader('retry-after', verdict.retryAfterSeconds);
  return replyPage(response, verdict.status, passwordPage({ action, username, problem: verdict.problem }));
};

const signIn = async (
  context: SignInContext,
  exchange: Exchange,
  interaction: Interaction,
  accountId: string,
  method: SignInMethod,
): Promise<void> => {
  await endOtherSession(context, interaction, accountId);
  context.log.info({ identity: accountId, method }, 'sign-in: signed in');
  await finish(context, exchange, { login: { accountId, amr: [method] } });
};

/**
 * Ends the previous session when another user signs in at the same browser. oidc-provider would do so with a script, which our pages don't
 * run.
 */
const endOtherSession = async ({ provider }: SignInContext, interaction: Interaction, accountId: string): Promise<void> => {
  if (!interaction.session || interaction.session.accountId === accountId) return;
  const session = await provider.Session.findByUid(interaction.session.uid);
  const grants = Object.values(session?.authorizations ?? {}).map(({ grantId }) => grantId);
  for (const id of grants.filter((grantId) => grantId !== undefined)) await (await provider.Grant.find(id))?.destroy();
  await session?.destroy();
  interaction.session = undefined;
  await interaction.persist();
};

const finish = async ({ provider }: SignInContext, { request, response }: Exchange, result: InteractionResults): Promise<void> =>
  provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
