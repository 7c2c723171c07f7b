/** The password of the embedded PostgreSQL's only role. It is in one file, which only the server's user can read. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const BYTES = 32;
const WRITTEN = /^[0-9a-f]{64}$/;
const ITERATIONS = 4096;

/** Returns the stored password. Creates a new one if there is none or others could have read it; the set-up applies it. */
export function keepPassword(file: string): string {
  const kept = readOwn(file);
  if (kept !== undefined && WRITTEN.test(kept)) return kept;
  const password = randomBytes(BYTES).toString('hex');
  // Renamed into place: the file is never partial, and never one that another process has open.
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.new`);
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  fs.renameSync(draft, file);
  return password;
}

function readOwn(file: string): string | undefined {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.mode & 0o077 || found.uid !== process.getuid?.()) return undefined;
  return fs.readFileSync(file, 'utf8').trim();
}

/** Returns a fingerprint that identifies the password. It does not help to guess 256 random bits. */
export const fingerprintOf = (password: string): string => createHash('sha256').update(password).digest('hex').slice(0, 16);

/** Returns the verifier that PostgreSQL stores (RFC 5803), because statements with it may end up in a log. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}
