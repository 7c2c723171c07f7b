/** Result of the secret file readers, before keys are validated. */
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { SecretEntry } from '@slipway/contract/secret/secret-entry.ts';

export interface FoundEntry extends SecretEntry {
  /** Line of the key, from 1. */
  readonly line: number;
}
export interface FoundError extends FieldError {
  readonly line: number;
}
export interface Found {
  readonly entries: FoundEntry[];
  readonly errors: FoundError[];
}

export const lineError = (line: number, code: string, context: Readonly<Record<string, string>> = {}): FoundError => ({
  line,
  code,
  context: { line: String(line), ...context },
});
