/** Validation of a submitted key and its value: names, sizes and number of keys. A check's message is a code; no message quotes a value. */
import * as z from 'zod/mini';

export const maxSecretValueBytes = 64 * 1024;
export const maxSecretVersionBytes = 1024 * 1024;
export const maxSecretKeys = 500;

/** An environment variable name, plus dots and dashes for keys that become files. */
export const secretKeyPattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,252}$/;
/** Only these keys become environment variables; the others are for files. */
export const isEnvironmentName = (key: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key);

/** Size of a text in UTF-8 bytes. A lone surrogate counts as the three bytes of its replacement character. */
export const utf8Bytes = (text: string): number => {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else bytes += code < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
};

export const SecretKey = z.string({ error: 'Required' }).check(z.regex(secretKeyPattern, { error: 'InvalidSecretKey' }));
export const SecretEntry = z.object({
  key: SecretKey,
  value: z.string({ error: 'Required' }).check(
    z.refine((value) => utf8Bytes(value) <= maxSecretValueBytes, { error: 'SecretValueTooLarge' }),
    // Processes cannot receive a NUL, and a lone surrogate would come back as another character.
    z.refine((value) => !value.includes('\0') && value.isWellFormed(), { error: 'InvalidValue' }),
  ),
});
export type SecretEntry = z.infer<typeof SecretEntry>;

/** For a list of entries. The server also counts the keys that a version carries over from the previous one. */
export const secretEntriesCheck = [
  z.maxLength(maxSecretKeys, { error: 'TooManySecretKeys' }),
  z.refine<SecretEntry[]>((entries) => new Set(entries.map(({ key }) => key)).size === entries.length, { error: 'DuplicateSecretKey' }),
  z.refine<SecretEntry[]>((entries) => entries.reduce((sum, { value }) => sum + utf8Bytes(value), 0) <= maxSecretVersionBytes, {
    error: 'SecretVersionTooLarge',
  }),
] as const;
