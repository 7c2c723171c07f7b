/** Signs in at the embedded identity provider as a browser does, but without one: for tests, benches and examples. */
import { createHash, randomBytes } from 'node:crypto';

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
}

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

/** Where a redirect leads. Throws with what the page says where there is none. */
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

/** The address that a sign-in of the console begins with; `change` overwrites parameters. */
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
    ...change,
  }).toString();
  return { url, verifier, state, redirectUri };
};

/** One call of the token endpoint, e.g. `{ grant_type: 'refresh_token', refresh_token }`. */
export const requestTokens = (baseUrl: string, form: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${baseUrl}${ISSUER_PATH}/token`, { method: 'POST', body: new URLSearchParams({ client_id: CLIENT_ID, ...form }) });

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

/** Where the console is sent back to, with `code` and `state`. A browser that is signed in already is not asked again. */
export const authorize = async (authorization: Authorization, identityId: string, options: SignInOptions): Promise<URL> => {
  const cookies = options.cookies ?? new Cookies();
  const first = await targetOf(await browse(authorization.url, cookies));
  if (!first.pathname.startsWith(`${ISSUER_PATH}/login/`)) return first;
  return targetOf(await browse(await giveCredentials(first, cookies, identityId, options), cookies));
};

/** The whole sign-in: code flow with PKCE. `baseUrl` is without a slash at the end, e.g. `http://127.0.0.1:4000`. */
export const signIn = async (baseUrl: string, identityId: string, options: SignInOptions): Promise<Tokens> => {
  const authorization = authorizationOf(baseUrl);
  const back = await authorize(authorization, identityId, options);
  const code = back.searchParams.get('code');
  if (code === null || back.searchParams.get('state') !== authorization.state) throw new Error(`Not signed in: ${back.href}`);
  return tokensOf(
    await requestTokens(baseUrl, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: authorization.redirectUri,
      code_verifier: authorization.verifier,
    }),
  );
};
