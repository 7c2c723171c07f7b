/** Configures the OIDC library for one authority: code flow with PKCE by redirect, user in local storage. */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { IndexedDbDPoPStore, UserManager, WebStorageStateStore, type DPoPState } from 'oidc-client-ts';

/** Keeps the key after sign-out: the provider's memory of this browser is bound to it. Scripts cannot export the key. */
class KeptKeyStore extends IndexedDbDPoPStore {
  override async remove(key: string): Promise<DPoPState> {
    return this.get(key);
  }
}

export const createUserManager = (config: Pick<RuntimeConfig, 'authority' | 'clientId' | 'audience' | 'isKeyBound'>): UserManager =>
  new UserManager({
    authority: config.authority,
    client_id: config.clientId,
    redirect_uri: `${location.origin}/`,
    post_logout_redirect_uri: `${location.origin}/`,
    response_type: 'code',
    scope: 'openid profile email',
    // RFC 8707: without `resource` the provider issues an opaque token that the API cannot read.
    resource: config.audience,
    extraTokenParams: { resource: config.audience },
    userStore: new WebStorageStateStore({ store: localStorage }),
    stateStore: new WebStorageStateStore({ store: localStorage }),
    automaticSilentRenew: false,
    monitorSession: false,
    ...(config.isKeyBound ? { dpop: { store: new KeptKeyStore(), bind_authorization_code: true } } : {}),
  });
