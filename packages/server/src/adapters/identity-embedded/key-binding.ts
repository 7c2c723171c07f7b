// A session is worth something only together with a key that stays in the browser that signed in (record 0020). Cookies reach every
// port of a host, and so a program that is not ours; whoever replays them has no key, and gets no tokens.
import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { textAt } from '#kernel/text-at.ts';

/** What oidc-provider keeps for each client in the session, and the thumbprint of the key beside it. */
interface Binding {
  key?: string;
}
const bindingOf = ({ oidc }: KoaContextWithOIDC): Binding => (oidc.session?.authorizationFor(oidc.client?.clientId ?? '') ?? {}) as Binding;
const keyOf = ({ oidc }: KoaContextWithOIDC): string | undefined => textAt(oidc.params, 'dpop_jkt');
const hasJustSignedIn = ({ oidc }: KoaContextWithOIDC): boolean => oidc.result?.login !== undefined;

/** Who has just proved who he is binds the session to the key of his request, or to none. */
export const bindSession = (context: KoaContextWithOIDC): void => {
  if (!hasJustSignedIn(context)) return;
  context.oidc.session?.ensureClientContainer(context.oidc.client?.clientId ?? '');
  const binding = bindingOf(context);
  const key = keyOf(context);
  if (key === undefined) delete binding.key;
  else binding.key = key;
};

/** A request with another key, or with none, finds nobody signed in. The code that it would get is bound to the key that it names. */
export const keyCheck = (): interactionPolicy.Check => {
  const { Check } = interactionPolicy;
  return new Check('other_key', 'the session is bound to the key of another client', 'login_required', (context) => {
    if (context.oidc.session?.accountId === undefined || hasJustSignedIn(context)) return Check.NO_NEED_TO_PROMPT;
    const key = keyOf(context);
    return key !== undefined && key === bindingOf(context).key ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
  });
};
