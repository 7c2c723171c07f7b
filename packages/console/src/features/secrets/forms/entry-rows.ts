/** The rows of a secret group's form: validation, changes by a pasted file, and the entries to send. */
import { SecretKey, maxSecretKeys, maxSecretValueBytes, maxSecretVersionBytes, utf8Bytes } from '@slipway/contract/secret/secret-entry.ts';
import { ExpiryDate } from '@slipway/contract/secret/secret-group.ts';
import * as z from 'zod/mini';

export interface EntryRow {
  key: string;
  value: string;
  /** `YYYY-MM-DD`, or empty. */
  expiresAt: string;
  /** The value is unchanged since the previous version. It stays on the server and is not sent. */
  isKept: boolean;
}

export const emptyRow: EntryRow = { key: '', value: '', expiresAt: '', isKept: false };
/** True for a row that nobody has filled in yet. */
export const isBlank = ({ key, value, isKept }: EntryRow): boolean => key === '' && value === '' && !isKept;

/** Bytes of the values on screen. The server counts the values that it keeps. */
export const sizeOf = (rows: readonly EntryRow[]): number => rows.reduce((sum, { value }) => sum + utf8Bytes(value), 0);

type Complain = (row: number, field: keyof EntryRow, code: string) => void;

const checkRow = (row: EntryRow, index: number, complain: Complain): void => {
  const key = z.safeParse(SecretKey, row.key);
  if (row.key === '') complain(index, 'key', 'Required');
  else if (!key.success) complain(index, 'key', 'InvalidSecretKey');
  if (row.expiresAt !== '' && !z.safeParse(ExpiryDate, row.expiresAt).success) complain(index, 'expiresAt', 'InvalidValue');
  if (row.isKept) return;
  if (utf8Bytes(row.value) > maxSecretValueBytes) complain(index, 'value', 'SecretValueTooLarge');
  else if (row.value.includes('\0') || !row.value.isWellFormed()) complain(index, 'value', 'InvalidValue');
};

/** Blank rows are valid and not sent. Error codes never contain a value. */
export const EntryRows = z
  .array(z.object({ key: z.string(), value: z.string(), expiresAt: z.string(), isKept: z.boolean() }))
  .check((payload) => {
    const rows = payload.value;
    const raise = (path: (string | number)[], message: string): void => {
      payload.issues.push({ code: 'custom', path, message, input: undefined });
    };
    const complain: Complain = (row, field, code) => raise([row, field], code);
    const seen = new Set<string>();
    for (const [index, row] of rows.entries()) {
      if (isBlank(row)) continue;
      checkRow(row, index, complain);
      if (row.key !== '' && seen.has(row.key)) complain(index, 'key', 'DuplicateSecretKey');
      seen.add(row.key);
    }
    if (rows.every(isBlank)) complain(0, 'key', 'Required');
    if (seen.size > maxSecretKeys) raise([], 'TooManySecretKeys');
    if (sizeOf(rows) > maxSecretVersionBytes) raise([], 'SecretVersionTooLarge');
  });

/** Returns the entries to send and the row of each entry, for mapping errors back. */
export const entriesOf = (rows: readonly EntryRow[]): { entries: { key: string; value: string }[]; rowOf: number[] } => {
  const sent = rows.map((row, index) => ({ row, index })).filter(({ row }) => !row.isKept && !isBlank(row));
  return { entries: sent.map(({ row: { key, value } }) => ({ key, value })), rowOf: sent.map(({ index }) => index) };
};
/** Keys of the previous version that no row has. */
export const removedKeys = (before: readonly string[], rows: readonly EntryRow[]): string[] =>
  before.filter((key) => !rows.some((row) => row.key === key));

export type ImportChange = 'ADDED' | 'CHANGED' | 'SAME';
export interface ImportedKey {
  readonly key: string;
  readonly change: ImportChange;
  readonly sizeBytes: number;
}

/** Returns what a file would change in the rows. A value kept on the server can't be compared here, so it counts as changed. */
export const previewOf = (rows: readonly EntryRow[], found: readonly { key: string; value: string }[]): ImportedKey[] =>
  found.map(({ key, value }) => {
    const row = rows.find((item) => item.key === key);
    const change = row === undefined ? 'ADDED' : !row.isKept && row.value === value ? 'SAME' : 'CHANGED';
    return { key, change, sizeBytes: utf8Bytes(value) };
  });

/** Merges the file's values into the rows: known keys keep their position and date, new keys follow, blank rows are dropped. */
export const withImported = (rows: readonly EntryRow[], found: readonly { key: string; value: string }[]): EntryRow[] => {
  const values = new Map(found.map(({ key, value }) => [key, value]));
  const kept = rows
    .filter((row) => !isBlank(row))
    .map((row) => {
      const value = values.get(row.key);
      return value === undefined ? row : { ...row, value, isKept: false };
    });
  const known = new Set(kept.map(({ key }) => key));
  return [...kept, ...found.filter(({ key }) => !known.has(key)).map(({ key, value }) => ({ ...emptyRow, key, value }))];
};
