/** Secrets. No text quotes a value. */
import type { ErrorEntry } from './error-entry.ts';

export const secretsErrors = {
  SecretVersionDoesNotExist: { status: 404, message: 'Secret group has no such version' },
  SecretKeyDoesNotExist: { status: 404, message: 'The secret group has no key of this name' },
  SecretGroupNotAttached: { status: 404, message: 'The secret group is not attached to this service' },
  LastSecretVersion: { status: 409, message: 'The last version of a secret group cannot be deleted' },
  SecretVersionConflict: { status: 409, message: 'Somebody made version {version} meanwhile. Look at it, then save again.' },
  InvalidSecretKey: {
    status: 400,
    message: 'A key starts with a letter or an underscore, and holds letters, numbers, underscores, dots and dashes alone',
  },
  DuplicateSecretKey: { status: 400, message: 'Every key may stand once' },
  SecretValueTooLarge: { status: 400, message: 'A value may have 64 KiB' },
  SecretVersionTooLarge: { status: 400, message: 'All values of a version together may have 1 MiB' },
  TooManySecretKeys: { status: 400, message: 'A secret group may have 500 keys' },
  SecretFileLineInvalid: { status: 400, message: 'Line {line} is no key with a value' },
  SecretFileNotFlat: { status: 400, message: 'Line {line}: only flat keys with texts, numbers, true and false can be read' },
  SecretFileUnclosed: { status: 400, message: 'The value that begins in line {line} does not end' },
  SecretFileInvalid: { status: 400, message: 'The file is not valid {format}' },
  AutomationCannotReveal: { status: 403, message: 'The administrator token of the environment cannot read secret values' },
  SecretUnreadable: {
    status: 500,
    message:
      'The secret cannot be read: what is stored was changed or moved, or its key is lost. Restore it from a backup, or set it anew.',
  },
  SecretVolumeNotReferenced: {
    status: 400,
    message: 'Secret volume refers to a secret that is not referenced in stack',
  },
  SecretKeyNotReferenced: {
    status: 400,
    message: 'Environment variable refers to a secret key that is not referenced in stack',
  },
  SecretFileFormatUnknown: { status: 400, message: 'Secret files are written as file, env, bash, powershell, json or yaml' },
  NothingToRestart: { status: 409, message: 'Every service runs with the newest version' },
} as const satisfies Record<string, ErrorEntry>;
