// Configures oidc-provider: one public client (the console), code flow with PKCE, and access tokens that the API can read.
import { createHmac, type JsonWebKey } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { errors, interactionPolicy, Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Pool } from 'pg';
import { isDatabaseOutage } from '@slipway/foundation/database-outage.ts';
import { logFailure } from '@slipway/foundation/log-failure.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { answerBearerTokens, customizeAccessToken } from './access-claims.ts';
import { accountOf, type SignInMethod } from './accounts.ts';
import { cookieShape } from './cookies.ts';
import { bindSession, keyCheck } from './key-binding.ts';
import type { Origins } from './origins.ts';
import { acceptQueryModeOnly, renderError, renderLogout, renderSignedOut, skipEmptyLogout } from './provider-pages.ts';
import { PayloadStore } from './payload-store.ts';
import { SIGNING_ALGORITHM } from './signing-key.ts';

export const CLIENT_ID = 'slipway-console';
/** The audience of access tokens. A URN, because resource indicators are URIs and the public URL may change. */
export const AUDIENCE = 'urn:slipway:api';
export const MOUNT_PATH = '/oidc/slipway';

const SCOPE = 'openid profile email';
/** The console refreshes when 20 minutes are left. */
const ACCESS_SECONDS = 60 * 60;
const SESSION_SECONDS = 14 * 24 * 60 * 60;

export interface ProviderOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly publicUrl: string;
  readonly origins: Origins;
  readonly signingKey: JsonWebKey;
  readonly cookieKey: string;
  /** Prefix of the cookie names, so that two installations on one host do not overwrite each other's cookies. */
  readonly cookiePrefix: string;
  readonly method: SignInMethod;
}

export const createProvider = (options: ProviderOptions): Provider => {
  const provider = new Provider(`${options.publicUrl}${MOUNT_PATH}`, {
    ...protocolSettings(options),
    ...tokenSettings(),
    adapter: (model) => new PayloadStore(options.pool, model),
    jwks: { keys: [options.signingKey] },
    cookies: cookieSettings(options),
    findAccount: (context, sub, token) => accountOf(options.pool, options.method, sub, methodsOf(context, token)),
    loadExistingGrant: grantEverything,
    interactions: { url: (_context, interaction) => `${MOUNT_PATH}/login/${interaction.uid}`, policy: signInPolicy() },
    renderError,
  });
  // Trusts only headers set by `Origins.settle`, which removes the client's.
  provider.proxy = true;
  provider.use(acceptQueryModeOnly);
  provider.use(skipEmptyLogout);
  provider.use(answerBearerTokens);
  report(provider, options.log);
  return provider;
};

/** Logs errors. Koa prints to the console if `error` has no listener. */
const report = (provider: Provider, log: Log): void => {
  const failed = (error: unknown): void => logFailure(log, error, {}, 'sign-in: the identity provider failed');
  provider.on('server_error', (context, error) => {
    failed(error);
    // Clients retry on 503 but not on 500. The response is prepared but not sent yet.
    if (!isDatabaseOutage(error)) return;
    context.status = 503;
    context.set('retry-after', '2');
  });
  provider.on('grant.error', (_context, error) => log.debug({ err: error }, 'sign-in: token refused'));
  (provider as EventEmitter).on('error', failed);
};

const protocolSettings = ({ origins, cookieKey }: ProviderOptions): Configuration => {
  const home = origins.all.map((origin) => `${origin}/`);
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_name: 'Slipway console',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        // Only codes are issued, and only in the query. The fragment carries only rejections of other response types.
        response_modes: ['query', 'fragment'],
        redirect_uris: [...home, ...home.map((uri) => `${uri}signed-in`)],
        post_logout_redirect_uris: home,
        id_token_signed_response_alg: SIGNING_ALGORITHM,
      },
    ],
    clientBasedCORS: (_context, origin) => origins.isOwn(origin),
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    scopes: SCOPE.split(' '),
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'] },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    features: {
      devInteractions: { enabled: false },
      // The nonce helps clients whose clock is wrong.
      dPoP: { enabled: true, nonceSecret: createHmac('sha256', cookieKey).update('DPoP nonces').digest() },
      pushedAuthorizationRequests: { enabled: false },
      // Announced here, handled by user-info.ts.
      userinfo: { enabled: true },
      revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: { enabled: true, logoutSource: renderLogout, postLogoutSuccessSource: renderSignedOut },
      resourceIndicators: resourceSettings,
    },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM], dPoPSigningAlgValues: [SIGNING_ALGORITHM] },
  };
};

const tokenSettings = (): Configuration => ({
  ttl: {
    AccessToken: ACCESS_SECONDS,
    AuthorizationCode: 60,
    IdToken: ACCESS_SECONDS,
    Interaction: 60 * 60,
    Grant: SESSION_SECONDS,
    Session: SESSION_SECONDS,
    // Rotated refresh tokens expire with the first one.
    RefreshToken: (context) => context.oidc.entities.RotatedRefreshToken?.remainingTTL ?? SESSION_SECONDS,
  },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  // Revoking the grant ends its access tokens, even when a client revokes a refresh token.
  revokeGrantPolicy: async () => true,
  formats: { customizers: { jwt: customizeAccessToken } },
  // Signing out ends the refresh tokens as well.
  expiresWithSession: async () => true,
});

/** Always sets exactly one resource: without one, oidc-provider issues opaque tokens, which the API cannot read. */
const resourceSettings: NonNullable<NonNullable<Configuration['features']>['resourceIndicators']> = {
  enabled: true,
  defaultResource: async () => AUDIENCE,
  useGrantedResource: async () => true,
  getResourceServerInfo: async (_context, resource) => {
    if (resource !== AUDIENCE) throw new errors.InvalidTarget();
    return {
      scope: '',
      audience: AUDIENCE,
      accessTokenFormat: 'jwt',
      accessTokenTTL: ACCESS_SECONDS,
      jwt: { sign: { alg: SIGNING_ALGORITHM } },
    };
  },
};

const cookieSettings = ({ cookieKey, cookiePrefix, origins: { isSecure } }: ProviderOptions): Configuration['cookies'] => {
  const session = cookieShape(`${cookiePrefix}_session`, isSecure);
  // Cookies of a sign-in in progress are limited to its own path.
  const short = isSecure ? `__Secure-${cookiePrefix}` : cookiePrefix;
  return {
    keys: [cookieKey],
    names: { session: session.name, interaction: `${short}_sign_in`, resume: `${short}_resume` },
    long: { httpOnly: true, sameSite: 'lax', path: session.path, signed: true },
    short: { httpOnly: true, sameSite: 'lax', signed: true },
  };
};

/** Returns how the session began, from the refresh token or, in the browser, from the session. */
const methodsOf = (context: KoaContextWithOIDC, token: unknown): readonly string[] => {
  const { amr } = (token ?? {}) as { amr?: string[] };
  return amr ?? context.oidc.session?.amr ?? [];
};

/** Grants everything without consent, since the console belongs to the platform. */
const grantEverything = async (context: KoaContextWithOIDC) => {
  const { oidc } = context;
  const clientId = oidc.client?.clientId ?? CLIENT_ID;
  const known = oidc.session?.grantIdFor(clientId);
  const grant =
    (known && (await oidc.provider.Grant.find(known))) || new oidc.provider.Grant({ clientId, accountId: oidc.account?.accountId ?? '' });
  grant.addOIDCScope(SCOPE);
  await grant.save();
  bindSession(context);
  return grant;
};

/** Requires a new sign-in if the user of a session no longer exists or may no longer sign in this way. */
const signInPolicy = () => {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const checks = policy.get('login')?.checks;
  checks?.add(keyCheck());
  checks?.add(
    new Check('account_unknown', 'the account of this session may not sign in', ({ oidc }) => {
      const isStale = oidc.session?.accountId !== undefined && oidc.account === undefined;
      return isStale ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
    }),
  );
  return policy;
};
