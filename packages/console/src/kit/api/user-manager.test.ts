/** Sign-in with a DPoP key at the embedded provider, and without one at providers that may not support DPoP. */
import { expect, test, vi } from 'vitest';
import { createUserManager } from './user-manager.ts';

vi.stubGlobal('location', new URL('http://localhost:4000/'));
vi.stubGlobal('localStorage', {});

const settingsOf = (isKeyBound: boolean) =>
  createUserManager({
    authority: 'http://localhost:4000/oidc/slipway',
    clientId: 'slipway-console',
    audience: 'urn:slipway:api',
    isKeyBound,
  }).settings;

test('the code is bound to the key from the start, where the provider binds sessions', () => {
  expect(settingsOf(true).dpop).toMatchObject({ bind_authorization_code: true });
});

test('an outside provider is sent no proof and no thumbprint', () => {
  expect(settingsOf(false).dpop).toBeUndefined();
});
