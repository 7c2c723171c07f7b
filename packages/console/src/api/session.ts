/**
 * Sign-in by redirect (code with PKCE) and the access token of every call. The token lives in local storage, so all tabs share it;
 * it is refreshed silently when it has less than 20 minutes left (specification §9).
 */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';

/** 1,200,000 ms in the specification. */
const refreshBelowSeconds = 20 * 60;
/** A provider whose tokens live shorter than that must not make every call refresh. */
const refreshPauseMs = 60_000;
/** A second redirect this soon after a sign-in would only go round in circles. */
const loopGuardMs = 10_000;
const signedInAtKey = 'slipway.signedInAt';

interface ReturnState {
  readonly returnPath: string;
}

let manager: UserManager | undefined;
let triedAt = 0;
let refreshing: Promise<User | null> | undefined;
let leaving: Promise<never> | undefined;

const users = (): UserManager => {
  if (!manager) throw new Error('The session is not started yet');
  return manager;
};

export const createUserManager = (config: Pick<RuntimeConfig, 'authority' | 'clientId' | 'audience'>): UserManager =>
  new UserManager({
    authority: config.authority,
    client_id: config.clientId,
    redirect_uri: `${location.origin}/`,
    post_logout_redirect_uri: `${location.origin}/`,
    response_type: 'code',
    scope: 'openid profile email',
    // RFC 8707: without the resource the provider issues an opaque token that the API cannot read.
    resource: config.audience,
    extraTokenParams: { resource: config.audience },
    userStore: new WebStorageStateStore({ store: localStorage }),
    stateStore: new WebStorageStateStore({ store: localStorage }),
    automaticSilentRenew: false,
    monitorSession: false,
  });

const isCallback = (url: URL): boolean =>
  url.pathname === '/' && url.searchParams.has('state') && (url.searchParams.has('code') || url.searchParams.has('error'));

const wasJustSignedIn = (): boolean => Date.now() - Number(sessionStorage.getItem(signedInAtKey) ?? 0) < loopGuardMs;

/** The page to come back to. Only paths of this origin count: `//elsewhere` would leave it. */
export const safeReturnPath = (path: unknown): string => (typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : '/');

const redirectToSignIn = async (): Promise<never> => {
  const state: ReturnState = { returnPath: location.pathname + location.search + location.hash };
  await users().signinRedirect({ state });
  // The browser is leaving; nothing after this may run, and no error may flash.
  return new Promise<never>(() => undefined);
};

/** Sends the user to sign in and back to this very page. */
export const signInAgain = async (): Promise<void> => {
  if (leaving || wasJustSignedIn()) return;
  leaving = redirectToSignIn();
  await leaving;
};

/**
 * Gets a new token unless the stored one is `isGood` already. Under a lock, because a refresh token may be good for one use only and
 * the other tabs hold the same one.
 */
const refresh = (isGood: (user: User) => boolean): Promise<User | null> => {
  const run = async (): Promise<User | null> => {
    const stored = await users().getUser();
    if (!stored?.refresh_token || isGood(stored)) return stored;
    triedAt = Date.now();
    try {
      return await users().signinSilent();
    } catch {
      // Refused or unreachable: the present token serves until it ends, then the user signs in again.
      return stored;
    }
  };
  refreshing ??= (navigator.locks ? navigator.locks.request('slipway-token', run) : run()).finally(() => {
    refreshing = undefined;
  });
  return refreshing;
};

const hasTime = (user: User): boolean => (user.expires_in ?? 0) > refreshBelowSeconds;

/** The token of the next call. Refreshes in the background while the present token still serves, else waits for the new one. */
export const accessToken = async (): Promise<string> => {
  const user = await users().getUser();
  const left = user?.expires_in ?? 0;
  if (user && left > 30) {
    if (!hasTime(user) && Date.now() - triedAt > refreshPauseMs) void refresh(hasTime);
    return user.access_token;
  }
  const fresh = await refresh(hasTime);
  if (fresh && !fresh.expired) return fresh.access_token;
  await signInAgain();
  return '';
};

/** The token after the server refused one; another tab's newer token is as good as a new one. */
export const tokenAfter = async (refused: string): Promise<string> => {
  const fresh = await refresh((user) => user.access_token !== refused);
  return fresh?.access_token ?? '';
};

/** Finishes a sign-in that is coming back, or starts one. Resolves only when there is a user; the path to show is set by then. */
export const startSession = async (config: RuntimeConfig): Promise<void> => {
  manager = createUserManager(config);
  const url = new URL(location.href);
  if (isCallback(url)) {
    try {
      const user = await users().signinRedirectCallback();
      sessionStorage.setItem(signedInAtKey, String(Date.now()));
      history.replaceState(null, '', safeReturnPath((user.state as ReturnState | undefined)?.returnPath));
      return;
    } catch (cause) {
      history.replaceState(null, '', '/');
      // Back button after sign-in, or a second tab that finished first: the code is used up, but a user may be there.
      if (!(await users().getUser())) throw cause;
      return;
    }
  }
  const user = await users().getUser();
  if (user && !user.expired) return;
  if (user?.refresh_token) {
    const fresh = await refresh(hasTime);
    if (fresh && !fresh.expired) return;
  }
  await redirectToSignIn();
};

/** Ends the session here and at the provider, where it can. */
export const signOut = async (): Promise<void> => {
  try {
    await users().signoutRedirect();
  } catch {
    await users().removeUser();
    location.assign('/');
  }
};

/** Tells when another tab signed out or in as somebody else; the page then starts anew. */
export const onOtherIdentity = (listener: () => void): (() => void) => {
  const { authority, client_id } = users().settings;
  const key = `oidc.user:${authority}:${client_id}`;
  const subjectOf = (text: string | null): string | undefined => {
    try {
      return (JSON.parse(text ?? 'null') as { profile?: { sub?: string } } | null)?.profile?.sub;
    } catch {
      return undefined;
    }
  };
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key && subjectOf(event.oldValue) !== undefined && subjectOf(event.oldValue) !== subjectOf(event.newValue)) listener();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
};
