/** Signs in at the embedded identity provider as a browser does, but without one: for tests, benches and examples. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface Tokens {
  readonly accessToken: string;
  readonly idToken: string;
  readonly refreshToken: string;
}

export interface SignInOptions {
  /** The demo code, where people have no passwords. */
  readonly code?: string;
  readonly password?: string;
  /** Brings the cookies of earlier sign-ins, and keeps the new ones. */
  readonly cookies?: Cookies;
  /** `null` for a client that has none; the key of the tests' own browser unless said. */
  readonly key?: BrowserKey | null;
}

/** The key that a browser keeps for the console and that no other program can use (DPoP, RFC 9449). */
export interface BrowserKey {
  readonly thumbprint: string;
  proofFor(url: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
}
export const newBrowserKey = async (): Promise<BrowserKey> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    proofFor: (url, claims = {}) =>
      new SignJWT({ jti: randomUUID(), htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000), ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey),
  };
};
/** The console's, in the browser that the tests are. */
export const ownKey = await newBrowserKey();

const CLIENT_ID = 'slipway-console';
const ISSUER_PATH = '/oidc/slipway';

/** A browser's cookies, as far as one server needs them. */
export class Cookies {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const path = attributes.find((part) => /^path=/i.test(part))?.slice('path='.length) ?? '/';
      const key = `${pair.slice(0, at)} ${path}`;
      if (attributes.some((part) => /^expires=Thu, 01 Jan 1970/i.test(part))) this.#cookies.delete(key);
      else this.#cookies.set(key, { value: pair, path });
    }
  }

  for(url: URL): string {
    return [...this.#cookies.values()]
      .filter(({ path }) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(({ value }) => value)
      .join('; ');
  }
}

/** One request with the browser's cookies; redirects are answered, not followed. A `form` is sent with POST and our own origin. */
export const browse = async (url: URL, cookies: Cookies, form?: Readonly<Record<string, string>>): Promise<Response> => {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: cookies.for(url), accept: 'text/html', ...(form ? { origin: url.origin } : {}) },
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  });
  cookies.keep(response);
  return response;
};

/** Returns the target of a redirect. If the response is no redirect, throws an error with the text of the page. */
export const targetOf = async (response: Response): Promise<URL> => {
  const location = response.headers.get('location');
  if (response.status === 303 && location !== null) return new URL(location, response.url);
  throw new Error(`${response.status} instead of a redirect: ${(await response.text()).replace(/<[^>]*>|\s+/g, ' ').slice(-600)}`);
};

export interface Authorization {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly redirectUri: string;
}

/** The address that a sign-in of the console begins with; `change` overwrites parameters, with nothing it leaves them out. */
export const authorizationOf = (baseUrl: string, change: Readonly<Record<string, string>> = {}): Authorization => {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('base64url');
  const redirectUri = `${baseUrl}/`;
  const url = new URL(`${ISSUER_PATH}/auth`, baseUrl);
  url.search = new URLSearchParams({
    client_id: CLIENT_ID,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    dpop_jkt: ownKey.thumbprint,
    ...change,
  }).toString();
  for (const [name, value] of Object.entries(change)) if (value === '') url.searchParams.delete(name);
  return { url, verifier, state, redirectUri };
};

/** One call of the token endpoint, e.g. `{ grant_type: 'refresh_token', refresh_token }`. */
export const requestTokens = async (
  baseUrl: string,
  form: Readonly<Record<string, string>>,
  key: BrowserKey | null = ownKey,
): Promise<Response> => {
  const url = `${baseUrl}${ISSUER_PATH}/token`;
  const headers: Record<string, string> = key ? { dpop: await key.proofFor(url) } : {};
  return fetch(url, { method: 'POST', headers, body: new URLSearchParams({ client_id: CLIENT_ID, ...form }) });
};

export const tokensOf = async (response: Response): Promise<Tokens> => {
  const body = (await response.json()) as Record<string, string>;
  if (!response.ok) throw new Error(`${response.status}: ${body['error']}: ${body['error_description']}`);
  return { accessToken: body['access_token'] ?? '', idToken: body['id_token'] ?? '', refreshToken: body['refresh_token'] ?? '' };
};

const giveCredentials = async (login: URL, cookies: Cookies, identityId: string, options: SignInOptions): Promise<URL> => {
  if (options.password !== undefined) return targetOf(await browse(login, cookies, { username: identityId, password: options.password }));
  if (options.code !== undefined) await targetOf(await browse(login, cookies, { code: options.code }));
  return targetOf(await browse(login, cookies, { identity: identityId }));
};

/**
 * Signs in and returns the URL that the console is sent back to, with `code` and `state`.
 * A browser that is already signed in is not asked again.
 */
export const authorize = async (authorization: Authorization, identityId: string, options: SignInOptions): Promise<URL> => {
  const cookies = options.cookies ?? new Cookies();
  const first = await targetOf(await browse(authorization.url, cookies));
  if (!first.pathname.startsWith(`${ISSUER_PATH}/login/`)) return first;
  return targetOf(await browse(await giveCredentials(first, cookies, identityId, options), cookies));
};

/** The whole sign-in: code flow with PKCE. `baseUrl` is without a slash at the end, e.g. `http://127.0.0.1:4000`. */
export const signIn = async (baseUrl: string, identityId: string, options: SignInOptions): Promise<Tokens> => {
  const { key = ownKey } = options;
  const authorization = authorizationOf(baseUrl, { dpop_jkt: key?.thumbprint ?? '' });
  const back = await authorize(authorization, identityId, options);
  return tokensOf(await redeem(baseUrl, authorization, back, key));
};

/** Asks for tokens with the code that came `back`. */
export const redeem = async (baseUrl: string, authorization: Authorization, back: URL, key?: BrowserKey | null): Promise<Response> => {
  const code = back.searchParams.get('code');
  if (code === null || back.searchParams.get('state') !== authorization.state) throw new Error(`Not signed in: ${back.href}`);
  const { redirectUri: redirect_uri, verifier: code_verifier } = authorization;
  return requestTokens(baseUrl, { grant_type: 'authorization_code', code, redirect_uri, code_verifier }, key);
};
