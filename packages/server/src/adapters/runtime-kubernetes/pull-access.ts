/**
 * Credentials with which a cluster's nodes pull images from the platform's registry, one for each app. They are derived from a key of the
 * platform, so every replica knows them and none is stored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { nodeAgent } from '#ports/registry.ts';

export interface PullCredential {
  readonly username: string;
  readonly password: string;
}

export class PullAccess {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  credential(app: string): PullCredential {
    const password = createHmac('sha256', this.#key).update(`pull ${app}`).digest('base64url');
    return { username: `${PREFIX}${app}`, password };
  }

  /** Returns the app whose images these credentials may pull. Undefined for other credentials. */
  appOf({ username, password }: PullCredential): string | undefined {
    const app = appOfNode(username);
    if (app === undefined) return undefined;
    const [right, given] = [Buffer.from(this.credential(app).password), Buffer.from(password)];
    return right.length === given.length && timingSafeEqual(right, given) ? app : undefined;
  }
}

const PREFIX = `${nodeAgent}.`;
/** Returns the app that a node's user name names. */
export const appOfNode = (username: string): string | undefined =>
  username.startsWith(PREFIX) ? username.slice(PREFIX.length) : undefined;
