// Passwords at rest: scrypt with its cost beside the hash, so that a later cost does not lock anybody out.
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { inTurn } from './hashing-queue.ts';

const scryptOf = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

interface Cost {
  /** The binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}
/** 32 MB and about 0.2 s for each try: OWASP's recommendation for this much memory. */
const COST: Cost = { ln: 15, r: 8, p: 3 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** Node sets aside a little more than 128·N·r bytes. */
const optionsOf = ({ ln, r, p }: Cost): ScryptOptions => ({ N: 2 ** ln, r, p, maxmem: 128 * 2 ** ln * r * 2 });

/** The same password typed on another system may be written with other code points. */
const normal = (password: string): string => password.normalize('NFKC');

/** `$scrypt$ln=15,r=8,p=3$salt$hash`. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  const hash = await inTurn('', () => scryptOf(normal(password), salt, HASH_BYTES, optionsOf(COST)));
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
};

/**
 * Throws TooBusy, as `hashPassword` does; `address` is whose turn it is. Takes as long without a stored hash as with one, so that the
 * time does not tell which user names exist.
 */
export const isPassword = async (password: string, stored: string | undefined, address: string): Promise<boolean> => {
  const [, ln, r, p, salt, hash] = STORED.exec(stored ?? '') ?? [];
  const cost = ln === undefined ? COST : { ln: Number(ln), r: Number(r), p: Number(p) };
  const expected = hash === undefined ? Buffer.alloc(HASH_BYTES) : Buffer.from(hash, 'base64url');
  const given = await inTurn(address, () =>
    scryptOf(normal(password), Buffer.from(salt ?? '', 'base64url'), expected.length, optionsOf(cost)),
  );
  return timingSafeEqual(given, expected) && hash !== undefined;
};
