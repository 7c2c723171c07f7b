/** The catalog's kinds of requests: what approval does, what makes a request void, and how it reads. */
import { sql } from 'kysely';
import { requestTypes, type CatalogRequestType } from '@slipway/contract/catalog/request.ts';
import { gatedFields } from '@slipway/contract/catalog/rules.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { labelOf } from '@slipway/contract/kernel/issues.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { idOf, type Deciding, type RequestKind, type RequestRow } from '#modules/requests/index.ts';
import { countActive } from '../directory/people.ts';
import { decommissionNow, dependantsOf, today } from '../entries/decommission.ts';
import { changeEntry, entrySubject, noteEvent, type CatalogDeps, type Trx } from '../entries/entry-change.ts';
import { same, toColumns } from '../entries/entry-fields.ts';
import { namesOf, specOf, specOfSubject, type KindSpec } from '../entries/entry-kinds.ts';
import { isApprover, isVisible, requireEntry, type EntryRow } from '../entries/entry-row.ts';
import { countIssues } from '../entries/entry-verbs.ts';
import { namedDifferences } from './named-differences.ts';
import { approverKey, kindOfType, newRequest, ownerKey, typeOfKind } from './raise.ts';

const dueInDays: Readonly<Partial<Record<CatalogRequestType, number>>> = { DATA_ISSUE: 10 };

export const specOfRequest = ({ subject_kind: kind }: Pick<RequestRow, 'subject_kind'>): KindSpec => {
  const spec = specOfSubject(kind);
  if (!spec) throw new Error(`${kind} is no kind of the catalog`);
  return spec;
};
const partOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** The current row of the request's entry. Undefined if the entry was withdrawn. */
const findEntry = async (trx: Trx, row: RequestRow): Promise<EntryRow | undefined> => {
  const { rows } = await sql<EntryRow>`select * from catalog_entry where id = ${row.subject_id}`.execute(trx);
  return rows[0];
};
const entryOf = async (trx: Trx, row: RequestRow): Promise<EntryRow> => {
  const entry = await findEntry(trx, row);
  if (!entry) throw new Problem('EntryDoesNotExist', { context: { kind: specOfRequest(row).kind } });
  return entry;
};

type Effect = (deciding: Deciding, entry: EntryRow, deps: CatalogDeps) => Promise<void>;
const approvals: Readonly<Record<CatalogRequestType, Effect>> = {
  ONBOARD: async ({ trx, row, caller }, entry, deps) => {
    await changeEntry(trx, deps, entry, { status: 'ACTIVE', activated_at: new Date(), rejected_comments: null }, caller.id);
    await noteEvent(trx, entry, 'ONBOARDED', { request: idOf(row) });
  },
  UPDATE: async ({ trx, row, caller }, entry, deps) => {
    const values = toColumns(specOf(entry.kind), partOf(row.payload));
    await changeEntry(trx, deps, entry, values, caller.id);
  },
  OWNER_CHANGE: async ({ trx, row, caller }, entry, deps) => {
    const { owners } = partOf(row.payload);
    if ((await countActive(trx, owners as string[])) === 0) throw new Problem('LastActiveOwner', { field: 'owners' });
    await changeEntry(trx, deps, entry, { owners }, caller.id);
  },
  PLATFORM_CHANGE: async ({ trx, row, caller }, entry, deps) => {
    const platform = String(partOf(row.payload)['platformId']);
    await changeEntry(trx, deps, entry, { platform_id: platform, product_id: null }, caller.id);
    await noteEvent(trx, { id: entry.id, platform_id: platform }, 'MOVED', { from: entry.platform_id, request: idOf(row) });
  },
  DECOMMISSION: async ({ trx, row, caller }, entry, deps) => {
    const targetDate = String(partOf(row.payload)['targetDate']);
    const isDone = targetDate <= today() && (await decommissionNow(trx, deps, entry, caller.id));
    if (!isDone) await changeEntry(trx, deps, entry, { target_date: targetDate, decommission_due: targetDate }, caller.id);
  },
  DATA_ISSUE: ({ trx }, entry) => countIssues(trx, entry.id),
};
const rejections: Readonly<Partial<Record<CatalogRequestType, Effect>>> = {
  ONBOARD: async ({ trx, row, caller, comment = '' }, entry, deps) => {
    await changeEntry(trx, deps, entry, { status: 'REJECTED', rejected_comments: comment }, caller.id);
    await noteEvent(trx, entry, 'REJECTED', { request: idOf(row) });
  },
  DATA_ISSUE: ({ trx }, entry) => countIssues(trx, entry.id),
};
const withdrawals: Readonly<Partial<Record<CatalogRequestType, Effect>>> = {
  // The entry was never there. Its request stays.
  ONBOARD: async ({ trx }, { id, status }) => {
    if (status === 'PENDING') await trx.deleteFrom('catalog_entry').where('id', '=', id).execute();
  },
  DATA_ISSUE: ({ trx }, entry) => countIssues(trx, entry.id),
};

/** Reasons beside the fields of the entry, which its own writes look at: parents, people, and dependants. */
const goneOf = async (trx: Db, row: RequestRow, entry: EntryRow): Promise<string | undefined> => {
  const {
    platformId = entry.platform_id,
    portfolioId = entry.kind === 'platform' ? entry.portfolio_id : undefined,
    added,
  } = partOf(row.payload);
  const type = typeOfKind(row.kind);
  if (type === 'ONBOARD' || type === 'PLATFORM_CHANGE' || type === 'UPDATE') {
    const parent = platformId ?? portfolioId;
    const { rows } = await sql<{ status: string }>`select status from catalog_entry where id = ${parent ?? null}`.execute(trx);
    if (rows[0] && rows[0].status !== 'ACTIVE') return `${String(parent)} is no longer active`;
  }
  if (Array.isArray(added) && (await countActive(trx, added as string[])) < added.length)
    return 'A person asked for is no longer in the directory';
  if (type !== 'DECOMMISSION') return undefined;
  const [base, now] = [partOf(row.base), await dependantsOf(trx, entry.id)];
  if (now.running && base['running'] !== true) return 'An instance has started to serve since the request was raised';
  const known = Array.isArray(base['consumers']) ? base['consumers'] : [];
  const added2 = now.consumers.find((app) => !known.includes(app));
  return added2 === undefined ? undefined : `The app ${added2} has started to read its topics`;
};
export const voidReasonOf = async (trx: Trx, row: RequestRow): Promise<string | undefined> => {
  const entry = await findEntry(trx, row);
  if (!entry) return 'The entry was withdrawn';
  const { fields } = specOf(entry.kind);
  for (const [field, value] of Object.entries(partOf(row.base))) {
    const column = fields[field];
    if (column && !same(value, entry[column])) return `${labelOf(field)} has changed since the request was raised`;
  }
  if (entry.status === 'DECOMMISSIONED' || entry.status === 'REJECTED') return `The entry is ${entry.status.toLowerCase()}`;
  return goneOf(trx, row, entry);
};

const text = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};
const shown = new Set(['owners', 'platformId', 'targetDate', ...Object.values(gatedFields).flat()]);

/** Everybody may read the requests of an entry that they can see. Approvers decide, so they need no condition here. */
const openTo: RequestKind['openTo'] = (caller) =>
  sql<boolean>`exists (select from catalog_entry entry where entry.id = request.subject_id and ${isVisible({ caller, isApprover: false })})`;

const requestKind = (deps: CatalogDeps, type: CatalogRequestType): RequestKind => {
  const effect = (effects: Readonly<Partial<Record<CatalogRequestType, Effect>>>) => async (deciding: Deciding) => {
    const apply = effects[type];
    if (!apply) return {};
    await apply(deciding, await entryOf(deciding.trx, deciding.row), deps);
    return {};
  };
  return {
    kind: kindOfType(type),
    ...(dueInDays[type] !== undefined && { workingDays: dueInDays[type] }),
    openTo,
    // One kind answers for all: keys do not depend on the kind.
    ...(type === 'ONBOARD' && { keysOf: (db, { id }) => keysOf(db, id), holdersOf }),
    mayDecide: (_row, caller) => (caller.type === 'USER' ? true : 'NotADecider'),
    lock: async (trx, { subject_id: id }) => {
      await sql`select 1 from catalog_entry where id = ${id} for update`.execute(trx);
    },
    voidReason: voidReasonOf,
    approve: effect(approvals),
    reject: effect(rejections),
    withdraw: effect(withdrawals),
    ...(type === 'DATA_ISSUE' && { voided: (trx: Trx, { subject_id: id }: RequestRow) => countIssues(trx, id) }),
    mayRaiseAgain: ({ status }) => (type === 'ONBOARD' || status === 'APPROVED' ? 'RequestNotRepeatable' : true),
    raiseAgain: async (trx, row, caller) => {
      const spec = specOfRequest(row);
      const entry = await requireEntry(trx, { caller, isApprover: false }, spec.kind, row.subject_id);
      if (entry.status !== 'ACTIVE') throw new Problem('EntryNotActive');
      const payload = partOf(row.payload);
      const valueNow = (field: string, former: unknown): unknown => (spec.fields[field] ? entry[spec.fields[field]] : former);
      const base =
        type === 'DECOMMISSION'
          ? { ...(await dependantsOf(trx, entry.id)) }
          : Object.fromEntries(Object.entries(partOf(row.base)).map(([field, former]) => [field, valueNow(field, former)]));
      return newRequest(trx, caller, entry, { type, title: row.title, payload, base, comment: row.comment ?? undefined });
    },
    differences: ({ base, payload }) =>
      Object.entries(partOf(payload)).flatMap(([field, after]) =>
        shown.has(field) ? [{ field, label: labelOf(field), before: text(partOf(base)[field]), after: text(after) }] : [],
      ),
    named: namedDifferences,
    subject: (row) => entrySubject(specOfRequest(row), row.subject_id),
    hints: (row) => {
      const spec = specOfRequest(row);
      return [{ ...namesOf(spec, row.subject_id), kind: spec.subject.kind }];
    },
  };
};

/** Approvers, and owners of the entries with pending issues. */
const keysOf = async (db: Db, id: string) => {
  const { rows } = await sql<{ id: string }>`select subject_id as id from request
    join catalog_entry entry on entry.id = request.subject_id
    where request.status = 'PENDING' and request.kind = 'CATALOG_DATA_ISSUE' and ${id} = any(catalog_hands(entry))`.execute(db);
  return [...((await isApprover(db, { id })) ? [approverKey] : []), ...rows.map((row) => ownerKey(row.id))];
};

/** People who receive notices for a key: all approvers, or those who answer for an entry. */
const holdersOf = async (db: Db, key: string): Promise<string[]> => {
  const entry = key.startsWith(ownerKey('')) ? key.slice(ownerKey('').length) : undefined;
  if (key !== approverKey && entry === undefined) return [];
  const { rows } = await sql<{ id: string }>`select id from identity
    where type = 'USER' and left_at is null and ${
      entry === undefined
        ? sql`(is_administrator or id in (select identity_id from catalog_approver))`
        : sql`id = any((select catalog_hands(entry) from catalog_entry entry where entry.id = ${entry})::text[])`
    }`.execute(db);
  return rows.map(({ id }) => id);
};

export const catalogRequestKinds = (deps: CatalogDeps): RequestKind[] => requestTypes.map((type) => requestKind(deps, type));
