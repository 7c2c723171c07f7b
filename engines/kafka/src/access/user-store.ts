/**
 * Stores users with their salted passwords, in a file that only the broker can read. For an unknown name it returns a fake credential,
 * always the same, so that clients cannot find out which names exist.
 */
import { createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod/mini';

import type { AdminCredential } from '../parts.ts';
import { KeptState } from '../state/kept-state.ts';
import { credentialOf, mechanismNames, mechanisms, type Credential, type Mechanism } from './scram.ts';

const derive = promisify(pbkdf2);

const UserFile = z.object({
  /** Derives the salts for unknown names. base64url, like every other key here. */
  secret: z.string(),
  users: z.array(
    z.object({
      name: z.string(),
      mechanism: z.enum(mechanismNames),
      iterations: z.number(),
      salt: z.string(),
      storedKey: z.string(),
      serverKey: z.string(),
    }),
  ),
});
type UserFile = z.infer<typeof UserFile>;

export interface UserKey {
  readonly name: string;
  readonly mechanism: Mechanism;
}
export interface UserCredential extends UserKey {
  readonly credential: Credential;
}
const keyOf = ({ name, mechanism }: UserKey): string => `${mechanism} ${name}`;
const encode = (bytes: Buffer): string => bytes.toString('base64url');
const decode = (text: string): Buffer => Buffer.from(text, 'base64url');

const rowOf = ({ name, mechanism, credential: { salt, iterations, storedKey, serverKey } }: UserCredential): UserFile['users'][number] => ({
  name,
  mechanism,
  iterations,
  salt: encode(salt),
  storedKey: encode(storedKey),
  serverKey: encode(serverKey),
});
const credentialOfRow = ({ iterations, salt, storedKey, serverKey }: UserFile['users'][number]): Credential => ({
  iterations,
  salt: decode(salt),
  storedKey: decode(storedKey),
  serverKey: decode(serverKey),
});

/** The platform's own parameters, which unknown names seem to have while there are no users. */
const USUAL = { iterations: 8192, saltBytes: 32 };

export class UserStore {
  readonly #kept: KeptState<UserFile>;
  readonly #admin: ReadonlyMap<string, Credential>;
  readonly #listeners: ((user: string) => void)[] = [];
  #byKey = new Map<string, Credential>();
  #madeOf: UserFile | undefined;
  readonly adminName: string;

  private constructor(kept: KeptState<UserFile>, adminName: string, admin: ReadonlyMap<string, Credential>) {
    this.#kept = kept;
    this.adminName = adminName;
    this.#admin = admin;
  }

  static async open(file: string, { name, password }: AdminCredential): Promise<UserStore> {
    const kept = await KeptState.open<UserFile>(file, (found) => (found === undefined ? { secret: '', users: [] } : UserFile.parse(found)));
    if (kept.value.secret === '') {
      await kept.change(({ users }) => ({ state: { secret: encode(randomBytes(32)), users }, result: undefined }));
    }
    const admin = new Map<string, Credential>();
    for (const mechanism of mechanismNames) {
      const salt = randomBytes(USUAL.saltBytes);
      const { bytes, hash } = mechanisms[mechanism];
      const salted = await derive(password, salt, USUAL.iterations, bytes, hash);
      admin.set(keyOf({ name, mechanism }), credentialOf(mechanism, salted, salt, USUAL.iterations));
    }
    return new UserStore(kept, name, admin);
  }

  #known(): Map<string, Credential> {
    if (this.#madeOf !== this.#kept.value) {
      this.#madeOf = this.#kept.value;
      this.#byKey = new Map(this.#madeOf.users.map((row) => [keyOf(row), credentialOfRow(row)]));
    }
    return this.#byKey;
  }

  find(key: UserKey): Credential | undefined {
    return this.#admin.get(keyOf(key)) ?? this.#known().get(keyOf(key));
  }

  /** Returns a credential for an unknown name. It looks like a real one of this mechanism, but its keys match no password. */
  pretend(key: UserKey): Credential {
    const { secret, users } = this.#kept.value;
    const last = users.findLast(({ mechanism }) => mechanism === key.mechanism);
    const { bytes } = mechanisms[key.mechanism];
    const made = (purpose: string, length: number): Buffer => {
      const parts = Array.from({ length: Math.ceil(length / 64) }, (_, part) =>
        createHmac('sha512', decode(secret))
          .update(JSON.stringify([purpose, part, keyOf(key)]))
          .digest(),
      );
      return Buffer.concat(parts).subarray(0, length);
    };
    return {
      iterations: last?.iterations ?? USUAL.iterations,
      salt: made('salt', last === undefined ? USUAL.saltBytes : decode(last.salt).length),
      storedKey: made('stored key', bytes),
      serverKey: made('server key', bytes),
    };
  }

  /** Lists all users created by requests. The platform's own user is not included. */
  list(): readonly (UserKey & { readonly iterations: number })[] {
    return this.#kept.value.users;
  }

  /** Applies all changes in one write. A user without credentials is deleted, and listeners are notified. */
  async alter(deleted: readonly UserKey[], upserted: readonly UserCredential[]): Promise<void> {
    const gone = await this.#kept.change((state) => {
      const replaced = new Set([...deleted, ...upserted].map(keyOf));
      const users = [...state.users.filter((row) => !replaced.has(keyOf(row))), ...upserted.map(rowOf)];
      const left = new Set(users.map(({ name }) => name));
      const result = deleted.map(({ name }) => name).filter((name) => !left.has(name));
      return { state: { secret: state.secret, users }, result };
    });
    for (const name of gone) for (const listener of this.#listeners) listener(name);
  }

  onDeleted(listener: (user: string) => void): void {
    this.#listeners.push(listener);
  }

  close(): Promise<void> {
    return this.#kept.settled();
  }
}
