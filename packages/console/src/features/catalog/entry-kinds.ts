/** Entries of the four kinds as the console reads them, and the calls of their routes. */
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import type { CatalogPerson, EntryKind, EntryStatus } from '@slipway/contract/catalog/entry.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';

/** The fields that entries of all kinds have, as the console reads them. */
export interface Entry {
  kind: EntryKind;
  id: string;
  name: string;
  description: string;
  status: EntryStatus;
  owners: CatalogPerson[];
  labels: { id: string; name: string; description: string }[];
  createdBy: CatalogPerson | null;
  createdDate: string;
  modifiedBy: CatalogPerson | null;
  modifiedDate: string;
  rejectedComments: string | null;
  canEdit: boolean;
  can: Can;
  version: number;
}

/** Converts the view of any kind. */
export const entryOf = (kind: EntryKind, view: unknown): Entry => {
  const fields = view as Record<string, unknown>;
  const { idField, nameField } = entryKindOf[kind];
  return { ...(fields as unknown as Entry), kind, id: String(fields[idField]), name: String(fields[nameField]) };
};

/** The call of one entry's route: the id in the path, and in the header where a write repeats it. */
export const entryCall = ({ kind, id }: Pick<Entry, 'kind' | 'id'>, more: { body?: unknown; query?: unknown; version?: number } = {}) => {
  const { param, header } = entryKindOf[kind];
  const { version, ...rest } = more;
  const headers = { [header]: id, source: 'CONSOLE', ...(version === undefined ? {} : { 'If-Match': `"${version}"` }) };
  return { params: { [param]: id }, ...(rest.body === undefined ? {} : { headers }), ...rest } as unknown as Call<RouteShape>;
};
