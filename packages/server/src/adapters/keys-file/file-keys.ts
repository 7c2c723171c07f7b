/**
 * The keys port on plain files, for one machine or several that share the directory. Each file holds one 256-bit key. The newest key wraps;
 * all keys unwrap. Anyone who can read the directory can read every secret, so back it up separately from the database.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { PortFailure } from '#ports/failure.ts';
import type { Keys, WrappedKey } from '#ports/keys.ts';
import { createKeyFile, readKeyFiles } from './key-files.ts';

interface FileKey {
  readonly kid: string;
  readonly key: Buffer;
}

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

export class FileKeys implements Keys {
  readonly kind = 'file';
  readonly #directory: string;

  /** Usually `$SLIPWAY_DATA/keys`. The directory (0700) and the first key (0600) are created on first use. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async currentKid(): Promise<string> {
    return (await this.#current()).kid;
  }

  async wrap(key: Uint8Array, purpose: string): Promise<WrappedKey> {
    const current = await this.#current();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(associatedData(current.kid, purpose));
    const sealed = Buffer.concat([cipher.update(key), cipher.final()]);
    return { kid: current.kid, blob: Buffer.concat([Uint8Array.of(FORMAT), nonce, cipher.getAuthTag(), sealed]) };
  }

  async unwrap({ kid, blob }: WrappedKey, purpose: string): Promise<Uint8Array> {
    const known = (await this.#readAll()).find((candidate) => candidate.kid === kid);
    if (!known) throw new PortFailure('rejected', `Key ${kid} is not in the keys directory: was the directory lost or replaced?`);
    if (blob.length < HEADER_BYTES || blob[0] !== FORMAT) throw new PortFailure('rejected', 'The wrapped key has an unknown format');
    const nonce = blob.subarray(1, 1 + NONCE_BYTES);
    const tag = blob.subarray(1 + NONCE_BYTES, HEADER_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', known.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(kid, purpose)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(blob.subarray(HEADER_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new PortFailure('rejected', 'The wrapped key was changed, or was wrapped for another purpose', { cause });
    }
  }

  /** Returns all kids, newest last. Creates no key. */
  async kids(): Promise<string[]> {
    return (await this.#readAll()).map(({ kid }) => kid);
  }

  /** Creates a new current key and returns its kid. Older keys still unwrap. */
  async rotate(): Promise<string> {
    const versions = (await readKeyFiles(this.#directory)).map(({ version }) => version);
    await createKeyFile(this.#directory, Math.max(0, ...versions) + 1);
    return this.currentKid();
  }

  async #current(): Promise<FileKey> {
    const found = (await this.#readAll()).at(-1);
    if (found) return found;
    await createKeyFile(this.#directory, 1);
    return this.#current();
  }

  /** Reads the files each time: another replica may have created a key, and reading a few small files is cheap. */
  async #readAll(): Promise<FileKey[]> {
    const files = await readKeyFiles(this.#directory);
    return files.map(({ version, key }) => ({ key, kid: kidOf(version, key) }));
  }
}

/** Part of the kid, so that a lost directory shows as an unknown key rather than a damaged secret. */
const fingerprint = (key: Buffer) => createHmac('sha256', key).update('slipway kid').digest('hex').slice(0, 12);

const kidOf = (version: number, key: Buffer): string => `file-${version}-${fingerprint(key)}`;

/** Returns the kid of a file outside the directory, such as in a backup. */
export const kidOfKeyFile = (name: string, text: string): string => kidOf(Number.parseInt(name, 10), Buffer.from(text, 'base64'));

const associatedData = (kid: string, purpose: string) => Buffer.from(JSON.stringify([FORMAT, kid, purpose]));
