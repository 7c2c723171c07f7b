/** The OIDC library, set up for one authority: code flow with PKCE by redirect, user in local storage. */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { UserManager, WebStorageStateStore } from 'oidc-client-ts';

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
