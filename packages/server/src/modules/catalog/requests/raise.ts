/** Raises and amends requests of the catalog. */
import { sql } from 'kysely';
import type { CatalogRequestType } from '@slipway/contract/catalog/request.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { idOf, reviseRequest, type Amendment, type PartyKey, type RequestRow } from '#modules/requests/index.ts';
import type { CatalogDeps, Trx } from '../entries/entry-change.ts';
import { specOf } from '../entries/entry-kinds.ts';
import type { EntryRow } from '../entries/entry-row.ts';

/** Prefix of the kinds of requests in the request kernel. */
const PREFIX = 'CATALOG_';
export const kindOfType = (type: CatalogRequestType): string => `${PREFIX}${type}`;
export const typeOfKind = (kind: string): string => kind.slice(PREFIX.length);

export const approverKey: PartyKey = 'role:catalogApprover';
/** Key of those who act as owners of an entry. */
export const ownerKey = (id: string): PartyKey => `role:catalogOwner/${id}`;

export interface Asked {
  readonly type: CatalogRequestType;
  /** One sentence without the requester. */
  readonly title: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly base: Readonly<Record<string, unknown>>;
  readonly comment?: string | undefined;
}
export interface Raised {
  readonly requestId: string;
  readonly reqType: string;
}

/** Enterprise architects of the entry's portfolio who are approvers. Empty for all approvers. */
const assigneesOf = async (trx: Trx, { portfolio_id: portfolio, id, kind }: EntryRow, requester: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select identity.id from catalog_entry portfolio
    join identity on identity.id = any(portfolio.ea_contacts) and identity.left_at is null and identity.id <> ${requester}
    where portfolio.id = ${kind === 'portfolio' ? id : portfolio}
      and (identity.is_administrator or exists (select from catalog_approver where identity_id = identity.id))
    order by identity.id`.execute(trx);
  return rows.map((row) => row.id);
};

/** The parts of a request that follow from its entry. */
export const newRequest = async (trx: Trx, caller: Caller, row: EntryRow, { type, title, payload, base, comment }: Asked) => ({
  kind: kindOfType(type),
  subject: { kind: specOf(row.kind).subject.kind, id: row.id },
  title,
  comment,
  deciders: [approverKey, ...(type === 'DATA_ISSUE' ? [ownerKey(row.id)] : [])],
  // Owners of a waiting entry may edit it, which amends its request.
  askers: type === 'ONBOARD' ? row.owners.map((id): PartyKey => `person:${id}`) : [],
  assignedTo: await assigneesOf(trx, row, caller.id),
  payload,
  base,
});

const amendmentOf = ({ title, payload, base, comment }: Asked): Amendment => ({
  title,
  payload,
  base,
  ...(comment === undefined ? {} : { comment }),
});

/** Brings the request of a waiting entry up to date with the entry, which the caller may edit. */
export const follow = async (
  trx: Trx,
  { requests }: CatalogDeps,
  caller: Caller,
  { row, pending }: { readonly row: EntryRow; readonly pending: RequestRow },
  asked: Asked,
): Promise<Raised> => {
  const { askers } = await newRequest(trx, caller, row, asked);
  return raised(await reviseRequest(requests, trx, { caller, seen: pending }, { ...amendmentOf(asked), askers }));
};

/** Raises a request, or amends the caller's pending request `amends` if it is of the same type. */
export const ask = async (
  trx: Trx,
  { requests }: CatalogDeps,
  caller: Caller,
  { row, amends }: { readonly row: EntryRow; readonly amends?: string | undefined },
  asked: Asked,
): Promise<Raised> => {
  if (amends !== undefined) {
    const pending = await requests.find(trx, amends, caller);
    if (pending.subject_id !== row.id || pending.kind !== kindOfType(asked.type)) throw new Problem('RequestDoesNotExist');
    return raised(await requests.amend(trx, caller, amends, amendmentOf(asked)));
  }
  return raised(await requests.raise(trx, caller, await newRequest(trx, caller, row, asked)));
};
export const raised = (row: RequestRow): Raised => ({ requestId: idOf(row), reqType: typeOfKind(row.kind) });
