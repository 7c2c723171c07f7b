/** The password of the embedded PostgreSQL's only door. It stands in one file, which the server's own user alone can read. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const BYTES = 32;
const WRITTEN = /^[0-9a-f]{64}$/;
const ITERATIONS = 4096;

/** A new one when there is none, or when others could have read it: the set-up gives it to the cluster. */
export function keepPassword(file: string): string {
  const kept = readOwn(file);
  if (kept !== undefined && WRITTEN.test(kept)) return kept;
  const password = randomBytes(BYTES).toString('hex');
  // Renamed into place: never half a password, and never in a file that somebody has open.
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

/** Tells passwords apart without telling them: of 256 random bits nothing can be guessed from it. */
export const fingerprintOf = (password: string): string => createHash('sha256').update(password).digest('hex').slice(0, 16);

/** As PostgreSQL keeps it (RFC 5803): statements with it may stand in a log. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}
