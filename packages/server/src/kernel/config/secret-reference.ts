/** Secrets of the configuration file, which contains only references to them: a file or a variable. Pods mount Kubernetes secrets as either. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode } from '#kernel/caught.ts';

/** A secret, or what is wrong with its reference. */
type Resolved = { readonly text: string } | { readonly wrong: string };

export interface SecretContext {
  /** Directory to which paths are relative. */
  readonly directory: string;
  readonly variable: (name: string) => string | undefined;
}

const LARGEST_BYTES = 64 * 1024;
const HOW = 'write { file: /run/secrets/name } or { env: NAME }';

/** The message never contains the value, which may be the secret itself. */
export function resolveSecret(value: unknown, context: SecretContext): Resolved {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { wrong: `is a secret, which does not belong in the file. Instead, ${HOW}` };
  const [first, ...others] = Object.entries(value);
  if (first === undefined || others.length > 0) return { wrong: `must be one reference: ${HOW}` };
  const [kind, target]: readonly [string, unknown] = first;
  if (kind === 'file' && typeof target === 'string') return fromFile(resolve(context.directory, target));
  if (kind === 'env' && typeof target === 'string' && /^[A-Za-z_]\w*$/.test(target)) return fromVariable(target, context.variable(target));
  return { wrong: `must be a reference: ${HOW}` };
}

function fromFile(file: string): Resolved {
  try {
    if (statSync(file).size > LARGEST_BYTES) return { wrong: `refers to ${file}, which is larger than 64 KiB` };
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { wrong: `refers to ${file}, which is empty` } : { text };
  } catch (error) {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'does not exist',
      EACCES: 'may not be read by this user',
      EISDIR: 'is a directory',
    };
    return { wrong: `refers to ${file}, which ${reasons[errorCode(error) ?? ''] ?? `cannot be read (${errorCode(error)})`}` };
  }
}

const fromVariable = (name: string, text: string | undefined): Resolved =>
  text ? { text } : { wrong: `refers to the variable ${name}, which is not set` };
