/**
 * Reads a pasted or dropped file of secrets into keys and values: `.env` (also Bash `export` and PowerShell `$env:`), JSON, YAML; flat ones
 * alone. Nothing of it leaves the browser before the form is sent. Brings the YAML parser with it: import it where a file is read, lazily.
 */
import { maxSecretValueBytes, secretKeyPattern, utf8Bytes } from '@slipway/contract/secret/secret-entry.ts';
import { lineError, type FoundEntry, type FoundError } from './found.ts';
import { readEnv } from './read-env.ts';
import { readJson } from './read-json.ts';
import { readYaml } from './read-yaml.ts';
import type { SecretFileFormat } from './secret-file-format.ts';

export interface SecretFile {
  readonly format: SecretFileFormat;
  /** Those that can be used as they are. */
  readonly entries: readonly FoundEntry[];
  /** Codes of the catalogue with the line; no text of the file but key names. */
  readonly errors: readonly FoundError[];
}

/** By the first line that says something. `KEY=a: b` is env: an equals sign before any colon. */
const guess = (text: string): SecretFileFormat => {
  const first = text.split(/\r?\n/).find((line) => /\S/.test(line) && !/^\s*(#|---\s*$)/.test(line)) ?? '';
  if (first.trimStart().startsWith('{')) return 'json';
  return /^\s*["']?[\w.-]+["']?\s*:(\s|$)/.test(first) ? 'yaml' : 'env';
};

const judge = (entry: FoundEntry, seen: Set<string>): FoundError | undefined => {
  const context = { key: entry.key };
  if (!secretKeyPattern.test(entry.key)) return lineError(entry.line, 'InvalidSecretKey', context);
  if (seen.has(entry.key)) return lineError(entry.line, 'DuplicateSecretKey', context);
  if (utf8Bytes(entry.value) > maxSecretValueBytes) return lineError(entry.line, 'SecretValueTooLarge', context);
  return entry.value.includes('\0') ? lineError(entry.line, 'SecretFileLineInvalid', context) : undefined;
};

const readers = { env: readEnv, json: readJson, yaml: readYaml };

/** Never throws. Of a key that stands twice the first is kept, and the second is an error. */
export const parseSecretFile = (text: string, format: SecretFileFormat = guess(text)): SecretFile => {
  const found = readers[format](text.replace(/^\uFEFF/, ''));
  const seen = new Set<string>();
  const entries: FoundEntry[] = [];
  const errors = [...found.errors];
  for (const entry of found.entries) {
    const error = judge(entry, seen);
    if (error) errors.push(error);
    else entries.push(entry);
    seen.add(entry.key);
  }
  return { format, entries, errors: errors.toSorted((a, b) => a.line - b.line) };
};
