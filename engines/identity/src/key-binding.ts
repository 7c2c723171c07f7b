// Binds a session to a key that stays in the browser that signed in (record 0020). Cookies are sent to every port of a host, so foreign
// programs may receive them. Without the key, replayed cookies get no tokens.
import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { textAt } from '@slipway/foundation/text-at.ts';

/** oidc-provider's data per client in the session, extended by the key's thumbprint. */
interface Binding {
  key?: string;
}
const bindingOf = ({ oidc }: KoaContextWithOIDC): Binding => (oidc.session?.authorizationFor(oidc.client?.clientId ?? '') ?? {}) as Binding;
const keyOf = ({ oidc }: KoaContextWithOIDC): string | undefined => textAt(oidc.params, 'dpop_jkt');
const hasJustSignedIn = ({ oidc }: KoaContextWithOIDC): boolean => oidc.result?.login !== undefined;

/** Binds a new session to the key of the sign-in request, or to none. */
export const bindSession = (context: KoaContextWithOIDC): void => {
  if (!hasJustSignedIn(context)) return;
  context.oidc.session?.ensureClientContainer(context.oidc.client?.clientId ?? '');
  const binding = bindingOf(context);
  const key = keyOf(context);
  if (key === undefined) delete binding.key;
  else binding.key = key;
};

/** Requires a new sign-in if a request has another key or none. Its authorization code is bound to the key that it names. */
export const keyCheck = (): interactionPolicy.Check => {
  const { Check } = interactionPolicy;
  return new Check('other_key', 'the session is bound to the key of another client', 'login_required', (context) => {
    if (context.oidc.session?.accountId === undefined || hasJustSignedIn(context)) return Check.NO_NEED_TO_PROMPT;
    const key = keyOf(context);
    return key !== undefined && key === bindingOf(context).key ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
  });
};
