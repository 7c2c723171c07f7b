// The pages of oidc-provider itself: sign out, signed out, and errors.
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { textAt } from '@slipway/foundation/text-at.ts';
import { Html, html } from './html.ts';
import { messagePage } from './message-page.ts';
import { renderPage } from './page.ts';

const show = (context: KoaContextWithOIDC, page: string): void => {
  context.type = 'html';
  context.body = page;
};

/** Renders the sign-out page. `form` is oidc-provider's hidden form with its CSRF token; the buttons belong to it. */
export const renderLogout = (context: KoaContextWithOIDC, form: string): void => {
  show(
    context,
    renderPage({
      title: 'Sign out of Slipway?',
      lead: `You are signed in as ${context.oidc.session?.accountId}. Pipelines and services go on running without you.`,
      body: html`${new Html(form)}
        <div class="fields actions">
          <button class="button" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
          <a class="button plain" href="/">Stay signed in</a>
        </div>`,
    }),
  );
};

export const renderSignedOut = (context: KoaContextWithOIDC): void =>
  show(context, messagePage({ title: 'You are signed out', text: 'Your session at Slipway has ended.', link: 'Sign in again' }));

export const renderError = (context: KoaContextWithOIDC, out: ErrorOut, error: Error): void => {
  if (error instanceof errors.SessionNotFound) return show(context, expiredPage());
  show(
    context,
    messagePage({
      title: 'Sign-in did not work',
      text:
        out.error === 'server_error' ? 'Slipway could not finish this sign-in. Its log says why.' : 'The request to sign in was not right.',
      detail: [out.error, out.error_description].filter((part) => part !== undefined).join(': '),
      link: 'Start again',
    }),
  );
};

export const expiredPage = (): string =>
  messagePage({
    title: 'This sign-in has expired',
    text: 'It was begun too long ago, was finished already, or began in another browser.',
    link: 'Start again',
  });

/** Rejects other response modes, which oidc-provider answers with scripts, even for errors. */
export const acceptQueryModeOnly = async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
  const mode = context.query['response_mode'];
  if (mode === undefined || mode === 'query') return next();
  context.status = 400;
  show(
    context,
    messagePage({
      title: 'Sign-in did not work',
      text: 'The request to sign in was not right.',
      detail: 'invalid_request: response_mode must be query',
      link: 'Start again',
    }),
  );
};

/**
 * Redirects if nobody is signed in. oidc-provider would send a page whose script confirms the sign-out. There is nothing to confirm, and
 * our pages have no scripts.
 */
export const skipEmptyLogout = async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
  await next();
  const { oidc } = context;
  if (oidc?.route !== 'end_session' || context.status !== 200 || oidc.session?.accountId !== undefined) return;
  const target = textAt(oidc.params, 'post_logout_redirect_uri');
  const state = textAt(oidc.params, 'state');
  const url = new URL(target ?? oidc.urlFor('end_session_success'));
  if (target !== undefined && state !== undefined) url.searchParams.set('state', state);
  context.status = 303;
  context.redirect(url.href);
};
