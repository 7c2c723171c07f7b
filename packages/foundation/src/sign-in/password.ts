/** Hashes passwords with scrypt. The cost is stored with the hash, so that raising the cost later locks nobody out. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';

const scryptOf = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

interface Cost {
  /** Binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}
/** Cost for passwords chosen by people: 32 MB and about 0.2 s per attempt, OWASP's recommendation for this much memory. */
export const CHOSEN: Cost = { ln: 15, r: 8, p: 3 };
/** Cost for random 256-bit passwords, which the edge checks for programs: 16 MB and about 50 ms. */
export const RANDOM: Cost = { ln: 14, r: 8, p: 1 };

const HASH_BYTES = 32;
const SALT_BYTES = 16;
const MAX_MEMORY = 256 * 1024 * 1024;
/** `$scrypt$ln=15,r=8,p=3$salt$hash`, salt and hash in base64url. */
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/;
/** `scrypt$N$r$p$salt$hash`, written by earlier versions for the edge, without normalizing the password. */
const EARLIER_FORM = /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

interface Stored extends Cost {
  readonly salt: Buffer;
  readonly hash: Buffer;
  readonly isNormal: boolean;
}

const readStored = (text: string): Stored | undefined => {
  const [, ln, r, p, salt = '', hash = ''] = FORM.exec(text) ?? [];
  const [, N, r0, p0, salt0 = '', hash0 = ''] = EARLIER_FORM.exec(text) ?? [];
  const of = (cost: Cost, saltText: string, hashText: string, isNormal: boolean): Stored => ({
    ...cost,
    salt: Buffer.from(saltText, 'base64url'),
    hash: Buffer.from(hashText, 'base64url'),
    isNormal,
  });
  if (ln !== undefined) return of({ ln: Number(ln), r: Number(r), p: Number(p) }, salt, hash, true);
  return N === undefined ? undefined : of({ ln: Math.log2(Number(N)), r: Number(r0), p: Number(p0) }, salt0, hash0, false);
};

/** Normalizes the password, because systems may encode the same typed text with different code points. */
const normal = (password: string): string => password.normalize('NFKC');
const derive = (password: string, salt: Buffer, bytes: number, { ln, r, p }: Cost): Promise<Buffer> =>
  scryptOf(password, salt, bytes, { N: 2 ** ln, r, p, maxmem: MAX_MEMORY });

export const hashPassword = async (password: string, cost: Cost): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(normal(password), salt, HASH_BYTES, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
};

/**
 * Returns false for malformed hashes. Takes as long without a hash as with a person's hash, so that timing does not reveal which user names
 * exist. Runs on the thread pool: endpoints open to anonymous clients must wait in a PasswordQueue.
 */
export const isPassword = async (password: string, text: string | undefined): Promise<boolean> => {
  const stored = readStored(text ?? '');
  const { hash, isNormal, salt, ...cost } = stored ?? { ...CHOSEN, salt: Buffer.alloc(0), hash: Buffer.alloc(HASH_BYTES), isNormal: true };
  const given = await derive(isNormal ? normal(password) : password, salt, hash.length, cost).catch(() => undefined);
  return given !== undefined && hash.length > 0 && timingSafeEqual(given, hash) && stored !== undefined;
};
