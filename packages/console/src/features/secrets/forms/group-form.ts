/** The form of a secret group's keys, for a new group and for a new version: its schema, its labels, and sending what it holds. */
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

/** Every row that there can be carries its labels, so that an error of it is shown at it. */
const rowLabels = Object.fromEntries(
  Array.from({ length: maxSecretKeys + 1 }, (_, index) => [
    [`entries.${index}.key`, 'Key'],
    [`entries.${index}.value`, 'Value'],
    [`entries.${index}.expiresAt`, 'Date'],
  ]).flat(),
) as Readonly<Record<`entries.${number}.key`, string>>;
export const groupLabels = { name: 'Name', autoAttach: 'Attach to every service', entries: 'Keys', ...rowLabels };

/** Rows whose values stay on the server are not sent: an error of the third entry sent may belong to the fifth row. */
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

/** Days belong to a key and not to a version, so they are sent one by one. Answers the keys whose day could not be kept. */
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
