/** The form of a secret group's keys, for a new group and for a new version: schema, labels, and sending. */
import { maxSecretKeys } from '@slipway/contract/secret/secret-entry.ts';
import { SecretGroupName, secretKeyExpiry, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import * as z from 'zod/mini';
import { call } from '#kit/api/call.ts';
import { ResponseError } from '#kit/api/errors.ts';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { EntryRows, type EntryRow } from './entry-rows.ts';

export interface GroupValues {
  name: string;
  autoAttach: boolean;
  entries: EntryRow[];
}
export type GroupForm = ApiForm<GroupValues>;

export const newGroupSchema = z.object({ name: SecretGroupName, autoAttach: z.boolean(), entries: EntryRows });
export const newVersionSchema = z.object({ name: z.string(), autoAttach: z.boolean(), entries: EntryRows });

/** Labels for every possible row, so that errors appear at their row. */
const rowLabels = Object.fromEntries(
  Array.from({ length: maxSecretKeys + 1 }, (_, index) => [
    [`entries.${index}.key`, 'Key'],
    [`entries.${index}.value`, 'Value'],
    [`entries.${index}.expiresAt`, 'Date'],
  ]).flat(),
) as Readonly<Record<`entries.${number}.key`, string>>;
export const groupLabels = { name: 'Name', autoAttach: 'Attach to every service', entries: 'Keys', ...rowLabels };

/** Maps errors to their rows. Kept values are not sent, so the third entry sent may be the fifth row. */
export const atItsRow = (error: unknown, rowOf: readonly number[]): unknown => {
  if (!(error instanceof ResponseError) || !error.problem) return error;
  const errors = error.errors.map((item) => ({
    ...item,
    ...(item.field
      ? { field: item.field.replace(/^entries\.(\d+)/, (_, index: string) => `entries.${rowOf[Number(index)] ?? index}`) }
      : {}),
  }));
  return new ResponseError(error.status, { ...error.problem, errors });
};

/** Saves the expiry dates one by one, because dates belong to keys and not to versions. Returns the keys that failed. */
export const saveExpiries = async (
  group: Pick<SecretGroup, 'app' | 'environment' | 'name' | 'keys'>,
  rows: readonly EntryRow[],
): Promise<string[]> => {
  const failed: string[] = [];
  for (const { key, expiresAt } of rows) {
    const known = group.keys.find((item) => item.key === key);
    if (!known || (known.expiresAt ?? '') === expiresAt) continue;
    const params = { app: group.app, env: group.environment, group: group.name, key };
    try {
      await call(secretKeyExpiry, { params, body: { expiresAt: expiresAt || null } });
    } catch {
      failed.push(key);
    }
  }
  return failed;
};
