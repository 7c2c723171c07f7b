/** The hash of a password that the edge asks for: made by the platform, checked by the edge, which never has the password itself. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

/** About 50 ms and 16 MB for each try. */
const COST = { N: 16_384, r: 8, p: 1 };
const MAX_MEMORY = 256 * 1024 * 1024;

/** The form `scrypt$N$r$p$salt$hash`, salt and hash in base64url: a later cost locks nobody out. */
export async function hashEdgePassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** False for anything that is not such a hash. Works on the thread pool, not on the main loop. */
export async function verifyEdgePassword(password: string, passwordHash: string): Promise<boolean> {
  const [scheme, cost, blockSize, parallelization, salt, hash] = passwordHash.split('$');
  if (scheme !== 'scrypt' || !salt || !hash) return false;
  const expected = Buffer.from(hash, 'base64');
  const options = { N: Number(cost), r: Number(blockSize), p: Number(parallelization), maxmem: MAX_MEMORY };
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, options).catch(() => undefined);
  return actual !== undefined && expected.length > 0 && timingSafeEqual(actual, expected);
}

async function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
