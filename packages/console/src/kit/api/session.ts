/**
 * Sign-in by redirect (code with PKCE) and the access token of every call. The token lives in local storage, so all tabs share it;
 * it is refreshed silently when it has less than 20 minutes left (specification §9). The library that speaks OIDC is loaded only when
 * there is something to say: most page loads find a good token.
 */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import type { UserManager } from 'oidc-client-ts';
import { readUser, secondsLeft, userKey, type StoredUser } from './stored-user.ts';

/** 1,200,000 ms in the specification. */
const refreshBelowSeconds = 20 * 60;
/** A token that ends sooner is not worth sending. */
const uselessBelowSeconds = 30;
/** A provider whose tokens live shorter than 20 minutes must not make every call refresh. */
const refreshPauseMs = 60_000;
/** A second redirect this soon after a sign-in would only go round in circles. */
const loopGuardMs = 10_000;
const signedInAtKey = 'slipway.signedInAt';

type Settings = Pick<RuntimeConfig, 'authority' | 'clientId' | 'audience' | 'isKeyBound'>;
interface ReturnState {
  readonly returnPath: string;
}

let settings: Settings | undefined;
let manager: Promise<UserManager> | undefined;
let triedAt = 0;
let refreshing: Promise<StoredUser | undefined> | undefined;
let leaving: Promise<never> | undefined;

const configured = (): Settings => {
  if (!settings) throw new Error('The session is not started yet');
  return settings;
};
const storageKey = (): string => userKey(configured());
const stored = (): StoredUser | undefined => readUser(localStorage.getItem(storageKey()));

const users = (): Promise<UserManager> => {
  manager ??= import('./user-manager.ts').then(({ createUserManager }) => createUserManager(configured()));
  return manager;
};

const isCallback = (url: URL): boolean =>
  url.pathname === '/' && url.searchParams.has('state') && (url.searchParams.has('code') || url.searchParams.has('error'));

const wasJustSignedIn = (): boolean => Date.now() - Number(sessionStorage.getItem(signedInAtKey) ?? 0) < loopGuardMs;

/** The page to come back to. Only paths of this origin count: `//elsewhere` would leave it. */
export const safeReturnPath = (path: unknown): string => (typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : '/');

/** The demo code of the link that the start prints: `/#code=K7QM-42XD`. */
export const demoCodeOf = (hash: string): string | undefined => /^#code=([\w-]{1,20})$/.exec(hash)?.[1];

const redirectToSignIn = async (): Promise<never> => {
  const demoCode = demoCodeOf(location.hash);
  const state: ReturnState = { returnPath: location.pathname + location.search + (demoCode ? '' : location.hash) };
  // The sign-in page fills it in; the person sends it.
  await (await users()).signinRedirect({ state, ...(demoCode ? { login_hint: demoCode } : {}) });
  // The browser is leaving; nothing after this may run, and no error may flash.
  return new Promise<never>(() => undefined);
};

/** Sends the user to sign in and back to this very page. */
export const signInAgain = async (): Promise<void> => {
  if (leaving || wasJustSignedIn()) return;
  leaving = redirectToSignIn();
  try {
    await leaving;
  } finally {
    leaving = undefined;
  }
};

/**
 * Gets a new token unless the stored one is `isGood` already. Under a lock, because a refresh token may be good for one use only and
 * the other tabs hold the same one.
 */
const refresh = (isGood: (user: StoredUser) => boolean): Promise<StoredUser | undefined> => {
  const run = async (): Promise<StoredUser | undefined> => {
    const before = stored();
    if (!before?.refreshToken || isGood(before)) return before;
    triedAt = Date.now();
    try {
      await (await users()).signinSilent();
    } catch {
      // Refused or unreachable: the present token serves until it ends, then the user signs in again.
    }
    return stored();
  };
  refreshing ??= (navigator.locks ? navigator.locks.request('slipway-token', run) : run()).finally(() => {
    refreshing = undefined;
  });
  return refreshing;
};

const hasTime = (user: StoredUser): boolean => secondsLeft(user) > refreshBelowSeconds;
const isUseful = (user: StoredUser | undefined): user is StoredUser => user !== undefined && secondsLeft(user) > uselessBelowSeconds;

/** The token of the next call. Refreshes in the background while the present token still serves, else waits for the new one. */
export const accessToken = async (): Promise<string> => {
  const user = stored();
  if (isUseful(user)) {
    if (!hasTime(user) && Date.now() - triedAt > refreshPauseMs) void refresh(hasTime);
    return user.accessToken;
  }
  const fresh = await refresh(hasTime);
  if (isUseful(fresh)) return fresh.accessToken;
  await signInAgain();
  return '';
};

/** The token after the server refused one; another tab's newer token is as good as a new one. */
export const tokenAfter = async (refused: string): Promise<string> =>
  (await refresh((user) => user.accessToken !== refused))?.accessToken ?? '';

const finishSignIn = async (): Promise<void> => {
  try {
    const user = await (await users()).signinRedirectCallback();
    sessionStorage.setItem(signedInAtKey, String(Date.now()));
    history.replaceState(null, '', safeReturnPath((user.state as ReturnState | undefined)?.returnPath));
  } catch (cause) {
    history.replaceState(null, '', '/');
    // Back after the sign-in: the code is used up, but there is a user.
    if (!isUseful(stored())) throw cause;
  }
};

/** Finishes a sign-in that is coming back, or starts one. Resolves only when there is a user; the path to show is set by then. */
export const startSession = async (config: Settings): Promise<void> => {
  settings = config;
  if (isCallback(new URL(location.href))) return finishSignIn();
  if (!isUseful(stored()) && !isUseful(await refresh(hasTime))) return redirectToSignIn();
  if (demoCodeOf(location.hash)) history.replaceState(null, '', location.pathname + location.search);
};

/** Ends the session here and at the provider, where it can. */
export const signOut = async (): Promise<void> => {
  const current = await users();
  try {
    await current.signoutRedirect();
  } catch {
    await current.removeUser();
    location.assign('/');
  }
};

/** Tells when another tab signed out or in as somebody else; the page then starts anew. */
export const onOtherIdentity = (listener: () => void): (() => void) => {
  const onStorage = ({ key, oldValue, newValue }: StorageEvent): void => {
    const before = readUser(oldValue)?.subject;
    if (key === storageKey() && before !== undefined && before !== readUser(newValue)?.subject) listener();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
};
