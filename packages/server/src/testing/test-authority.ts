/** The sign-in authority of the tests, with tokens for the cast. */
import type { JSONWebKeySet } from 'jose';
import { testAuthority, type Claims } from '@slipway/foundation/testing/authority.ts';
import { serviceTokens } from '@slipway/identity/service-tokens.ts';
import type { Adapters } from '#app.ts';
import { people, type Actor } from './actors.ts';

export type { Claims } from '@slipway/foundation/testing/authority.ts';

export interface TestSignIn {
  readonly adapter: Adapters['signIn'];
  /** As an authority publishes them. */
  readonly publicKeys: JSONWebKeySet;
  /** Another `subject` is somebody that the platform has not seen before. */
  token(actor: Actor, claims?: Claims): Promise<string>;
  /** A token that nobody signed (`alg: none`). */
  unsigned(actor: Actor): string;
  /** A token in the authority's name, signed with a key that it does not have. */
  forged(actor: Actor): Promise<string>;
}

const claimsOf = (actor: Actor): Claims => ({ subject: people[actor].id, name: people[actor].name });

export const testSignIn = async (): Promise<TestSignIn> => {
  const { audience, forged, issuer, keys, privateKey, token, unsigned } = await testAuthority();
  return {
    publicKeys: keys.jwks(),
    adapter: {
      authority: issuer,
      clientId: 'slipway-console',
      audience,
      issuer,
      keys,
      provider: 'AZURE_AD',
      isKeyBound: false,
      // As the embedded provider makes them.
      serviceTokens: serviceTokens(issuer, privateKey),
    },
    token: (actor, claims = {}) => token({ ...claimsOf(actor), ...claims }),
    unsigned: (actor) => unsigned(people[actor].id),
    forged: (actor) => forged(claimsOf(actor)),
  };
};
