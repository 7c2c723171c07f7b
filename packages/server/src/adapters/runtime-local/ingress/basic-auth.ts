/** Checks user name and password of BASIC_AUTH services against a scrypt hash. */
import { createHmac, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

/** scrypt is slow by design: a password that was right is remembered, as a keyed hash, so that only the first request pays. */
const MAX_REMEMBERED = 1000;
/** Guesses run on the thread pool that the whole server shares. */
const MAX_CHECKING = 2;
const MAX_MEMORY = 256 * 1024 * 1024;

export type BasicAuthResult = 'right' | 'wrong' | 'busy';

export class BasicAuth {
  readonly #username: string;
  readonly #passwordHash: string;
  readonly #key = randomBytes(32);
  readonly #remembered = new Set<string>();
  #checking = 0;

  constructor(username: string, passwordHash: string) {
    this.#username = username;
    this.#passwordHash = passwordHash;
  }

  isFor(username: string, passwordHash: string): boolean {
    return this.#username === username && this.#passwordHash === passwordHash;
  }

  /** Answers at once for a password that was right before, so that such a request waits for nothing. */
  check(authorization: string | undefined): BasicAuthResult | Promise<BasicAuthResult> {
    const credentials = parseBasic(authorization);
    if (!credentials) return 'wrong';
    const digest = createHmac('sha256', this.#key).update(`${credentials.username}\0${credentials.password}`).digest('base64');
    if (this.#remembered.has(digest)) return 'right';
    if (this.#checking >= MAX_CHECKING) return 'busy';
    return this.#verify(credentials, digest);
  }

  async #verify({ password, username }: { username: string; password: string }, digest: string): Promise<BasicAuthResult> {
    this.#checking++;
    try {
      // The password is checked even for a wrong name: the time it takes must not tell which names exist.
      const isRight = await verifyPassword(password, this.#passwordHash);
      if (!isRight || !isSame(username, this.#username)) return 'wrong';
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.add(digest);
      return 'right';
    } finally {
      this.#checking--;
    }
  }
}

/** The form `scrypt$N$r$p$salt$hash`, salt and hash in base64 (plain or for URLs). False for anything else. */
export async function verifyPassword(password: string, passwordHash: string): Promise<boolean> {
  const [scheme, cost, blockSize, parallelization, salt, hash] = passwordHash.split('$');
  if (scheme !== 'scrypt' || !salt || !hash) return false;
  const expected = Buffer.from(hash, 'base64');
  const options = { N: Number(cost), r: Number(blockSize), p: Number(parallelization), maxmem: MAX_MEMORY };
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, options).catch(() => undefined);
  return actual !== undefined && expected.length > 0 && timingSafeEqual(actual, expected);
}

/** A hash that `verifyPassword` accepts. */
export async function hashPassword(password: string): Promise<string> {
  const options = { N: 16_384, r: 8, p: 1 };
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, options);
  return ['scrypt', options.N, options.r, options.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

async function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function parseBasic(authorization: string | undefined): { username: string; password: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

const isSame = (left: string, right: string): boolean => {
  const [a, b] = [left, right].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return timingSafeEqual(a!, b!);
};
