/**
 * The keys that decrypt all secrets, sealed for the archive with a passphrase in age format, so that the `age` program opens them too.
 * The sealed data includes a key of the archive itself, which signs its list of contents.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Decrypter, Encrypter } from 'age-encryption';
import * as z from 'zod/mini';
import type { Contents, Part } from '#kernel/archive/archive-parts.ts';
import { StartError } from '#kernel/start-error.ts';
import { listingOf } from './archive-format.ts';

const Sealed = z.object({ files: z.record(z.string().check(z.regex(/^[1-9]\d{0,8}\.key$/)), z.string()), seal: z.base64() });
export interface SealedKeys {
  /** File contents by name, as in the directory `keys`. */
  readonly files: Readonly<Record<string, string>>;
  /** Key that signs the list of contents. */
  readonly seal: string;
}

export const newSeal = (): string => randomBytes(32).toString('base64');

export async function sealKeys(keys: SealedKeys, passphrase: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(JSON.stringify(keys));
}

/** Throws a StartError if the passphrase is wrong. */
export async function openKeys(sealed: Uint8Array, passphrase: string): Promise<SealedKeys> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const text = await decrypter.decrypt(sealed, 'text').catch((cause: unknown) => {
    throw new StartError('The passphrase does not open the keys of this backup. It is the one that the backup was made with.', { cause });
  });
  return Sealed.parse(JSON.parse(text));
}

export const signParts = (parts: readonly Part[], seal: string): string =>
  createHmac('sha256', Buffer.from(seal, 'base64')).update(listingOf(parts)).digest('base64');

/** Checks the signature. Anyone who can write to an archive can fix its checksums, but not the signature. */
export function checkSeal({ parts, seal = '' }: Contents, key: string): void {
  // The keys are sealed before they are written, and signed with the other parts.
  const [wanted, found] = [signParts(parts, key), seal].map((text) => Buffer.from(text));
  if (!wanted || !found || wanted.length !== found.length || !timingSafeEqual(wanted, found))
    throw new StartError('The backup was changed after it was made: its contents do not bear the seal of its keys. Take another one.');
}
