/**
 * Sign-in by redirect (authorization code with PKCE) and the access token of every call. The token is in local storage, so all tabs
 * share it. It is refreshed silently when it has less than 20 minutes left (specification §9). The OIDC library is loaded on demand,
 * because most page loads find a valid token.
 */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import type { UserManager } from 'oidc-client-ts';
import { readUser, secondsLeft, userKey, type StoredUser } from './stored-user.ts';

/** 1,200,000 ms in the specification. */
const refreshBelowSeconds = 20 * 60;
/** A token that expires sooner is not sent. */
const uselessBelowSeconds = 30;
/** Minimum time between refreshes, so that tokens with a lifetime below 20 minutes don't cause one per call. */
const refreshPauseMs = 60_000;
/** A second redirect this soon after a sign-in would be a redirect loop. */
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

/** Returns the path to come back to. Accepts only paths of this origin: `//elsewhere` would leave it. */
export const safeReturnPath = (path: unknown): string => (typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : '/');

/** Returns the demo code from the link that the server prints at startup: `/#code=K7QM-42XD`. */
export const demoCodeOf = (hash: string): string | undefined => /^#code=([\w-]{1,20})$/.exec(hash)?.[1];

const redirectToSignIn = async (): Promise<never> => {
  const demoCode = demoCodeOf(location.hash);
  const state: ReturnState = { returnPath: location.pathname + location.search + (demoCode ? '' : location.hash) };
  // The sign-in page fills in the code; the user submits it.
  await (await users()).signinRedirect({ state, ...(demoCode ? { login_hint: demoCode } : {}) });
  // The browser is navigating away: never resolve, so that no code runs afterwards and no error flashes.
  return new Promise<never>(() => undefined);
};

/** Sends the user to sign in and back to the current page. */
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
 * Gets a new token unless `isGood` accepts the stored one. Runs under a lock, because a refresh token may be single-use and all tabs
 * share it.
 */
const refresh = (isGood: (user: StoredUser) => boolean): Promise<StoredUser | undefined> => {
  const run = async (): Promise<StoredUser | undefined> => {
    const before = stored();
    if (!before?.refreshToken || isGood(before)) return before;
    triedAt = Date.now();
    try {
      await (await users()).signinSilent();
    } catch {
      // The refresh failed: the current token is used until it expires, then the user signs in again.
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

/** Returns the token of the next call. Refreshes in the background while the current token is valid; otherwise waits for a new one. */
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

/** Returns a token after the server rejected one. Uses another tab's newer token if there is one. */
export const tokenAfter = async (refused: string): Promise<string> =>
  (await refresh((user) => user.accessToken !== refused))?.accessToken ?? '';

const finishSignIn = async (): Promise<void> => {
  try {
    const user = await (await users()).signinRedirectCallback();
    sessionStorage.setItem(signedInAtKey, String(Date.now()));
    history.replaceState(null, '', safeReturnPath((user.state as ReturnState | undefined)?.returnPath));
  } catch (cause) {
    history.replaceState(null, '', '/');
    // The user came Back after the sign-in: the code was used already, but there is a valid token.
    if (!isUseful(stored())) throw cause;
  }
};

/** Finishes a returning sign-in or starts a new one. Resolves only when there is a user and the path to show is set. */
export const startSession = async (config: Settings): Promise<void> => {
  settings = config;
  if (isCallback(new URL(location.href))) return finishSignIn();
  if (!isUseful(stored()) && !isUseful(await refresh(hasTime))) return redirectToSignIn();
  if (demoCodeOf(location.hash)) history.replaceState(null, '', location.pathname + location.search);
};

/** Ends the session here and, if possible, at the provider. */
export const signOut = async (): Promise<void> => {
  const current = await users();
  try {
    await current.signoutRedirect();
  } catch {
    await current.removeUser();
    location.assign('/');
  }
};

/** Calls the listener when another tab signs out or signs in as another user; the page then reloads. */
export const onOtherIdentity = (listener: () => void): (() => void) => {
  const onStorage = ({ key, oldValue, newValue }: StorageEvent): void => {
    const before = readUser(oldValue)?.subject;
    if (key === storageKey() && before !== undefined && before !== readUser(newValue)?.subject) listener();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
};
