/** Creates and changes entries: fields that apply at once, and fields that an approver decides. */
import { sql } from 'kysely';
import { gatedFields } from '@slipway/contract/catalog/rules.ts';
import type { Db } from '#db/database.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { countActive } from '../directory/people.ts';
import { ask, follow, type Raised } from '../requests/raise.ts';
import { changeEntry, noteEvent, recordEntry, taken, type CatalogDeps, type Trx } from './entry-change.ts';
import { changedIn, newValues, requireParent, toFields, valuesOf, type Body, type Values } from './entry-fields.ts';
import type { KindSpec } from './entry-kinds.ts';
import { isOwner, isParentOwner, updateRule, type Viewer } from './entry-rights.ts';
import { lockEntry, requireEntry, type EntryRow } from './entry-row.ts';

export interface WriteOptions {
  readonly source: 'CONSOLE' | 'API' | 'IMPORT';
  /** Version that the caller saw. */
  readonly ifMatch?: string | undefined;
  /** Pending request of the caller that the write amends: `REQ-20418`. */
  readonly amends?: string | undefined;
  /** True if nothing waits for approval: an import by a platform administrator. */
  readonly isDirect?: boolean;
  /** Id of a new entry in the system that it comes from. */
  readonly externalId?: string | null;
}
export interface WriteResult {
  readonly id: string;
  readonly requests: readonly Raised[];
  /** False if everything waits for approval. */
  readonly isApplied: boolean;
}

const commentOf = ({ requestComment: comment }: Body): string | undefined => (typeof comment === 'string' ? comment : undefined);

/** Inserts the row under a new id. Ids that were entered by hand are skipped. */
const insertRow = async (trx: Trx, spec: KindSpec, values: Readonly<Record<string, unknown>>): Promise<string> => {
  const { prefix, digits } = spec.id;
  const columns = Object.keys(values).map((column) => sql.ref(column));
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      with number as (update catalog_number set n = n + 1 where kind = ${spec.kind} returning n)
      insert into catalog_entry (id, kind, ${sql.join(columns)})
      select id, ${spec.kind}, ${sql.join(Object.entries(values).map(([column, value]) => sql`${value}::${typeOf(column)}`))}
      from (select ${`${prefix}-`} || lpad(n::text, greatest(${digits}::integer, length(n::text)), '0') as id from number) as next
      where not exists (select from catalog_entry other where other.id = next.id)
      returning id`
      .execute(trx)
      .catch(taken(spec, values));
    if (rows[0]) return rows[0].id;
  }
};
const arrays = new Set(['owners', 'ea_contacts', 'labels']);
const typeOf = (column: string) => {
  if (arrays.has(column)) return sql`text[]`;
  if (column === 'target_date') return sql`date`;
  if (column === 'activated_at') return sql`timestamptz`;
  return ['production_deployed', 'exploration_app', 'locally_managed'].includes(column) ? sql`boolean` : sql`text`;
};

/** Throws LastActiveOwner if nobody of them is active. */
const requireActiveOwner = async (db: Db, owners: unknown): Promise<void> => {
  if ((await countActive(db, owners as string[])) === 0) throw new Problem('LastActiveOwner', { field: 'owners' });
};

const onboarding = (spec: KindSpec, row: EntryRow, values: Values, comment?: string) =>
  ({ type: 'ONBOARD', title: `Onboard ${row.name}`, payload: toFields(spec, values), base: {}, comment }) as const;

/** Fields of a write for the activity log. A repeat of the write reads from it which requests the write raised or amended. */
const withRequests = (fields: Readonly<Record<string, unknown>>, requests: readonly Raised[]) =>
  requests.length === 0 ? fields : { ...fields, requests: requests.map(({ requestId }) => requestId) };

/** Onboards an entry. It waits for approval, except products of platforms that the caller owns. */
export const createEntry = (deps: CatalogDeps, viewer: Viewer, spec: KindSpec, body: Body, options: WriteOptions): Promise<WriteResult> =>
  transaction(deps.db, (trx) => createIn(trx, deps, viewer, spec, body, options));

/** As `createEntry`, in a transaction of the caller. */
export const createIn = async (
  trx: Trx,
  deps: CatalogDeps,
  viewer: Viewer,
  spec: KindSpec,
  body: Body,
  { source, isDirect = false, externalId = null }: WriteOptions,
): Promise<WriteResult> => {
  const { caller } = viewer;
  const values = newValues(spec, await valuesOf(trx, spec, body));
  const isAtOnce = isDirect || (spec.kind === 'product' && (await isPlatformOwner(trx, viewer, String(values.platform_id))));
  const { status } = body;
  if (typeof status === 'string' && status !== 'PENDING' && !(status === 'ACTIVE' && isAtOnce))
    throw new Problem('StatusNotSettable', { field: 'status', context: { value: status } });
  const state = isAtOnce ? ({ status: 'ACTIVE', activated_at: new Date() } as const) : ({ status: 'PENDING' } as const);
  const own = { source, ...values, ...state, external_id: externalId, created_by: caller.id, modified_by: caller.id };
  const id = await insertRow(trx, spec, own);
  const row = await requireEntry(trx, viewer, spec.kind, id);
  const requests = isAtOnce ? [] : [await ask(trx, deps, caller, { row }, onboarding(spec, row, values, commentOf(body)))];
  if (isAtOnce) await noteEvent(trx, row, 'ONBOARDED');
  await recordEntry(trx, caller, row, spec.routes.create, {
    reason: isAtOnce ? 'Created' : 'Requested',
    message: `${caller.displayName} ${isAtOnce ? 'created' : 'asked to onboard'} ${row.name}`,
    after: withRequests(toFields(spec, values), requests),
  });
  return { id, requests, isApplied: true };
};

export const isPlatformOwner = async (trx: Db, viewer: Viewer, id: string): Promise<boolean> =>
  viewer.isApprover || isOwner(await requireEntry(trx, viewer, 'platform', id), viewer);

/** `"7"` and `W/"7"` mean version 7. */
const requireVersion = ({ version }: EntryRow, ifMatch: string | undefined): void => {
  if (ifMatch !== undefined && ifMatch.replace(/^W\/|"/g, '') !== String(version)) throw new Problem('EntryChanged');
};

const requireRule = (verdict: ReturnType<typeof updateRule>): void => {
  if (verdict !== true) throw new Problem(verdict);
};

/** Waiting and rejected entries: every field applies at once, and the request follows. */
const changeUnapproved = async (
  trx: Trx,
  deps: CatalogDeps,
  { viewer, spec, row, body }: { viewer: Viewer; spec: KindSpec; row: EntryRow; body: Body },
  changed: Values,
): Promise<Raised[]> => {
  const { caller } = viewer;
  const isResent = row.status === 'REJECTED' && body['status'] === 'PENDING';
  const comments = viewer.isApprover && typeof body['rejectedComments'] === 'string' ? { rejected_comments: body['rejectedComments'] } : {};
  if (Object.keys({ ...changed, ...comments }).length > 0 || isResent)
    await changeEntry(trx, deps, row, { ...changed, ...comments, ...(isResent && { status: 'PENDING' }) }, caller.id);
  if (row.status !== 'PENDING' && !isResent) return [];
  const now = await requireEntry(trx, viewer, row.kind, row.id);
  const all = Object.fromEntries(Object.values(spec.fields).map((column) => [column, now[column]]));
  const asked = onboarding(spec, now, all, commentOf(body));
  const pending = await trx
    .selectFrom('request')
    .selectAll()
    .where('subject_id', '=', row.id)
    .where('kind', '=', 'CATALOG_ONBOARD')
    .where('status', '=', 'PENDING')
    .executeTakeFirst();
  if (pending) return Object.keys(changed).length === 0 ? [] : [await follow(trx, deps, caller, { row: now, pending }, asked)];
  // Sent again, or left over from a request that became void: the parent may be gone since.
  const parent = spec.parent && now[spec.parent.column];
  if (parent) await requireParent(trx, spec, parent);
  return [await ask(trx, deps, caller, { row: now }, asked)];
};

interface Parts {
  /** Values by how they take effect. */
  readonly direct: Values;
  readonly gated: Values;
  readonly owners: string[] | undefined;
  /** New platform of an application. */
  readonly platform: string | undefined;
}
const partsOf = (spec: KindSpec, changed: Values): Parts => {
  const gatedColumns = new Set(gatedFields[spec.kind].map((field) => spec.fields[field]));
  const { owners, ...others } = changed;
  const isMove = spec.kind === 'application' && others.platform_id !== undefined;
  const entries = Object.entries(others).filter(([column]) => !(isMove && column === 'platform_id'));
  const pick = (isGated: boolean): Values =>
    Object.fromEntries(entries.filter(([column]) => gatedColumns.has(column as never) === isGated));
  return {
    direct: pick(false),
    gated: pick(true),
    owners: owners as string[] | undefined,
    platform: isMove ? String(others.platform_id) : undefined,
  };
};

const words = (values: Values, spec: KindSpec): string => Object.keys(toFields(spec, values)).join(', ');
const baseOf = (spec: KindSpec, row: EntryRow, values: Values): Record<string, unknown> =>
  toFields(spec, Object.fromEntries(Object.keys(values).map((column) => [column, row[column as keyof Values] ?? null])));

/** True if the caller may change owners without a request: an owner adds people, or takes off those who left. */
const isSimpleOwnerChange = async (trx: Db, viewer: Viewer, row: EntryRow, owners: readonly string[]): Promise<boolean> => {
  const removed = row.owners.filter((id) => !owners.includes(id));
  return isOwner(row, viewer) && (await countActive(trx, removed)) === 0;
};

/** Raises the requests for what an approver decides. Returns also the owners if they apply at once. */
const askForParts = async (
  trx: Trx,
  deps: CatalogDeps,
  { viewer, spec, row, body, amends }: { viewer: Viewer; spec: KindSpec; row: EntryRow; body: Body; amends: string | undefined },
  { gated, owners, platform }: Parts,
): Promise<{ requests: Raised[]; direct: Values }> => {
  const { caller } = viewer;
  const requests: Raised[] = [];
  let direct: Values = {};
  const raise = async (asked: Omit<Parameters<typeof ask>[4], 'comment'>): Promise<void> => {
    requests.push(await ask(trx, deps, caller, { row, amends }, { ...asked, comment: commentOf(body) }));
  };
  if (Object.keys(gated).length > 0)
    await raise({
      type: 'UPDATE',
      title: `Change ${row.name}: ${words(gated, spec)}`,
      payload: toFields(spec, gated),
      base: baseOf(spec, row, gated),
    });
  if (owners) {
    await requireActiveOwner(trx, owners);
    const added = owners.filter((id) => !row.owners.includes(id));
    const removed = row.owners.filter((id) => !owners.includes(id));
    if (await isSimpleOwnerChange(trx, viewer, row, owners)) direct = { owners };
    else
      await raise({
        type: 'OWNER_CHANGE',
        title: `Change the owners of ${row.name}`,
        payload: { owners, added, removed },
        base: { owners: row.owners },
      });
  }
  if (platform !== undefined) {
    if (!isOwner(row, viewer) && !isOwner(await requireEntry(trx, viewer, 'platform', platform), viewer))
      throw new Problem('NotCatalogueOwner');
    await raise({
      type: 'PLATFORM_CHANGE',
      title: `Move ${row.name} to the platform ${platform}`,
      payload: { platformId: platform, productId: null, fromPlatformId: row.platform_id },
      base: { platformId: row.platform_id },
    });
  }
  return { requests, direct };
};

/** Moves a product with its applications. Needs both platforms. */
const moveProduct = async (trx: Trx, viewer: Viewer, row: EntryRow, { direct }: Parts, body: Body): Promise<void> => {
  const isMoved = direct.platform_id !== undefined;
  if (row.kind !== 'product' || (body['platformChanged'] === undefined && !isMoved)) return;
  if ((body['platformChanged'] === true) !== isMoved) throw new Problem('PlatformChangedMismatch', { field: 'platformChanged' });
  if (!isMoved) return;
  const isOfBoth = isParentOwner(row, viewer) && (await isPlatformOwner(trx, viewer, String(direct.platform_id)));
  if (!viewer.isApprover && !isOfBoth) throw new Problem('NotCatalogueOwner', { field: 'platformId' });
  await moveApplications(trx, viewer, row, String(direct.platform_id));
};
/** Moves the applications of a product to another platform. */
const moveApplications = async (trx: Trx, viewer: Viewer, row: EntryRow, platform: string): Promise<void> => {
  const { rows } = await sql<{
    id: string;
    status: EntryRow['status'];
  }>`update catalog_entry set platform_id = ${platform}, version = version + 1, modified_at = now(),
    modified_by = ${viewer.caller.id} where product_id = ${row.id} returning id, status`.execute(trx);
  // Summaries count active applications: others moved nothing.
  for (const { id } of rows.filter(({ status }) => status === 'ACTIVE'))
    await noteEvent(trx, { id, platform_id: platform }, 'MOVED', { from: row.platform_id });
};

/** Writes all changes of an active entry at once. The requests that they overtake become void. */
const changeDirectly = async (
  trx: Trx,
  deps: CatalogDeps,
  { viewer, spec, row }: { viewer: Viewer; spec: KindSpec; row: EntryRow },
  changed: Values,
): Promise<void> => {
  if (row.status !== 'ACTIVE') throw new Problem('EntryNotActive');
  if (changed.owners) await requireActiveOwner(trx, changed.owners);
  const isMoved = changed.platform_id !== undefined;
  if (isMoved && spec.kind === 'product') await moveApplications(trx, viewer, row, String(changed.platform_id));
  const moved = isMoved && spec.kind === 'application';
  await changeEntry(trx, deps, row, { ...changed, ...(moved && { product_id: null }) }, viewer.caller.id);
  if (moved) await noteEvent(trx, { id: row.id, platform_id: String(changed.platform_id) }, 'MOVED', { from: row.platform_id });
};

interface Updated {
  readonly spec: KindSpec;
  readonly id: string;
  /** Named in the activity log. */
  readonly route?: { readonly id: string };
}
export const updateEntry = (deps: CatalogDeps, viewer: Viewer, updated: Updated, body: Body, options: WriteOptions): Promise<WriteResult> =>
  transaction(deps.db, (trx) => updateIn(trx, deps, viewer, updated, body, options));

/** As `updateEntry`, in a transaction of the caller. */
export const updateIn = async (
  trx: Trx,
  deps: CatalogDeps,
  viewer: Viewer,
  { spec, id, route = spec.routes.update }: Updated,
  body: Body,
  { ifMatch, amends, isDirect = false }: WriteOptions,
): Promise<WriteResult> => {
  const { caller } = viewer;
  const row = await lockEntry(trx, viewer, spec.kind, id);
  requireVersion(row, ifMatch);
  const { status } = body;
  if (typeof status === 'string' && status !== row.status && !(row.status === 'REJECTED' && status === 'PENDING'))
    throw new Problem('StatusNotSettable', { field: 'status', context: { value: status } });
  if (row.status === 'DECOMMISSIONED') throw new Problem('EntryNotActive');
  const changed = changedIn(row, await valuesOf(trx, spec, body, row));
  const isUnapproved = row.status !== 'ACTIVE';
  const parts = partsOf(spec, changed);
  if (!isDirect && (isUnapproved || Object.keys({ ...parts.direct, ...parts.gated }).length > 0)) requireRule(updateRule(row, viewer));
  let requests: Raised[];
  let applied: Values;
  if (isDirect) {
    requests = [];
    applied = changed;
    await changeDirectly(trx, deps, { viewer, spec, row }, changed);
  } else if (isUnapproved) {
    if (changed.owners) await requireActiveOwner(trx, changed.owners);
    requests = await changeUnapproved(trx, deps, { viewer, spec, row, body }, changed);
    applied = changed;
  } else {
    await moveProduct(trx, viewer, row, parts, body);
    const asked = await askForParts(trx, deps, { viewer, spec, row, body, amends }, parts);
    requests = asked.requests;
    applied = { ...parts.direct, ...asked.direct };
    // Whoever edits an entry as its owner has looked at it.
    const attested = spec.kind === 'application' && isOwner(row, viewer) ? { attested_at: new Date(), attested_by: caller.id } : {};
    if (Object.keys(applied).length > 0) await changeEntry(trx, deps, row, { ...applied, ...attested }, caller.id);
  }
  const isApplied = requests.length === 0 || isUnapproved || Object.keys(applied).length > 0;
  await recordEntry(trx, caller, row, route, {
    reason: isApplied ? 'Updated' : 'Requested',
    message: `${caller.displayName} ${isApplied ? 'changed' : 'asked to change'} ${row.name}`,
    before: baseOf(spec, row, changed),
    after: withRequests(toFields(spec, changed), requests),
  });
  return { id: row.id, requests, isApplied };
};
