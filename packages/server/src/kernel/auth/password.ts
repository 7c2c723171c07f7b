/** Passwords at rest: scrypt with its cost beside the hash, so that a later cost locks nobody out. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';

const scryptOf = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

interface Cost {
  /** The binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}
/** What people choose: 32 MB and about 0.2 s for each try, OWASP's recommendation for this much memory. */
export const CHOSEN: Cost = { ln: 15, r: 8, p: 3 };
/** Random passwords of 256 bits, which the edge checks for programs: 16 MB and about 50 ms. */
export const RANDOM: Cost = { ln: 14, r: 8, p: 1 };

const HASH_BYTES = 32;
const SALT_BYTES = 16;
const MAX_MEMORY = 256 * 1024 * 1024;
/** `$scrypt$ln=15,r=8,p=3$salt$hash`, salt and hash in base64url. */
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/;
/** `scrypt$N$r$p$salt$hash`: what earlier versions wrote for the edge, of the password as it came. */
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

/** The same password typed on another system may be written with other code points. */
const normal = (password: string): string => password.normalize('NFKC');
const derive = (password: string, salt: Buffer, bytes: number, { ln, r, p }: Cost): Promise<Buffer> =>
  scryptOf(password, salt, bytes, { N: 2 ** ln, r, p, maxmem: MAX_MEMORY });

export const hashPassword = async (password: string, cost: Cost): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(normal(password), salt, HASH_BYTES, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
};

/**
 * False for anything that is no such hash. Takes as long without one as with one of people, so that the time does not tell which user names
 * exist. Works on the thread pool: callers that strangers can reach wait in a PasswordQueue.
 */
export const isPassword = async (password: string, text: string | undefined): Promise<boolean> => {
  const stored = readStored(text ?? '');
  const { hash, isNormal, salt, ...cost } = stored ?? { ...CHOSEN, salt: Buffer.alloc(0), hash: Buffer.alloc(HASH_BYTES), isNormal: true };
  const given = await derive(isNormal ? normal(password) : password, salt, hash.length, cost).catch(() => undefined);
  return given !== undefined && hash.length > 0 && timingSafeEqual(given, hash) && stored !== undefined;
};
