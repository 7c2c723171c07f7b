/** Reads the signed-in user that the OIDC library keeps in local storage, without loading the library. */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';

export interface StoredUser {
  accessToken: string;
  refreshToken: string | undefined;
  /** Seconds since 1970. */
  expiresAt: number;
  subject: string | undefined;
}

/** The library's local storage key. */
export const userKey = ({ authority, clientId }: Pick<RuntimeConfig, 'authority' | 'clientId'>): string =>
  `oidc.user:${authority}:${clientId}`;

interface Kept {
  access_token?: unknown;
  refresh_token?: unknown;
  expires_at?: unknown;
  profile?: { sub?: unknown };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns undefined for missing and for invalid values: the user then signs in. */
export const readUser = (json: string | null): StoredUser | undefined => {
  try {
    const kept = JSON.parse(json ?? 'null') as Kept | null;
    const accessToken = text(kept?.access_token);
    if (!kept || !accessToken) return undefined;
    const expiresAt = typeof kept.expires_at === 'number' ? kept.expires_at : 0;
    return { accessToken, refreshToken: text(kept.refresh_token), expiresAt, subject: text(kept.profile?.sub) };
  } catch {
    return undefined;
  }
};

export const secondsLeft = ({ expiresAt }: StoredUser, now = Date.now()): number => expiresAt - now / 1000;
