/**
 * Parses a pasted or dropped file of secrets: flat `.env` (also Bash `export` and PowerShell `$env:`), JSON or YAML. Nothing leaves the
 * browser before the form is sent. Import this module lazily, because it includes the YAML parser.
 */
import { maxSecretValueBytes, secretKeyPattern, utf8Bytes } from '@slipway/contract/secret/secret-entry.ts';
import { lineError, type FoundEntry, type FoundError } from './found.ts';
import { readEnv } from './read-env.ts';
import { readJson } from './read-json.ts';
import { readYaml } from './read-yaml.ts';
import type { SecretFileFormat } from './secret-file-format.ts';

export interface SecretFile {
  readonly format: SecretFileFormat;
  /** The valid entries. */
  readonly entries: readonly FoundEntry[];
  /** Catalog codes with the line. Contains no text of the file except key names. */
  readonly errors: readonly FoundError[];
}

/** Guesses the format from the first significant line. `KEY=a: b` is env: the equals sign comes before any colon. */
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

/** Never throws. Of duplicate keys the first is kept, and the second is an error. */
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
