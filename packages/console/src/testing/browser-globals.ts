/** Browser globals for the session and live changes, in tests that run in Node against a real HTTP server. */
import { setRuntimeConfig } from '#kit/api/runtime-config.ts';
import { startSession } from '#kit/api/session.ts';
import { userKey } from '#kit/api/stored-user.ts';

const createStorage = (): Storage => {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
    key: (index) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  };
};

/** Signs in with a token that is valid for an hour. Records a recent sign-in, so that no redirect is tried. */
export const signInTo = async (origin: string, token = 'token-1'): Promise<void> => {
  const events = new EventTarget();
  Object.assign(globalThis, {
    localStorage: createStorage(),
    sessionStorage: createStorage(),
    location: new URL('/somewhere', origin),
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
  });
  const settings = { authority: `${origin}/oidc/slipway`, clientId: 'console', audience: origin, isKeyBound: false };
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  localStorage.setItem(userKey(settings), JSON.stringify({ access_token: token, expires_at: expiresAt, profile: { sub: 'ingrid' } }));
  sessionStorage.setItem('slipway.signedInAt', String(Date.now()));
  setRuntimeConfig({ ...settings, apiUrl: origin, teamServiceUrl: `${origin}/api/team-service` } as Parameters<typeof setRuntimeConfig>[0]);
  await startSession(settings);
};
