/** Decommissioning: the request, its effect on the day, and the way back. The platform itself never stops anything. */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import { Problem } from '#kernel/problem.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import { ask, type Raised } from '../requests/raise.ts';
import { notifyDecommissioned } from '../facts/entry-notices.ts';
import { changeEntry, entrySubject, hintEntry, noteEvent, recordEntry, systemActor, type CatalogDeps, type Trx } from './entry-change.ts';
import { same, valuesOf, type Body } from './entry-fields.ts';
import { specOf, type KindSpec } from './entry-kinds.ts';
import { canOf, type Viewer } from './entry-rights.ts';
import { lockEntry, type EntryRow } from './entry-row.ts';

export const today = (): string => new Date().toISOString().slice(0, 10);

/** Dependants of an entry: serving instances of its app, and other apps that read its app's topics. */
export interface Dependants {
  readonly running: boolean;
  readonly consumers: readonly string[];
}
export const dependantsOf = async (db: Db, id: string): Promise<Dependants> => {
  const { rows } = await sql<Dependants>`select
    exists (select from app join service on service.app_id = app.id join revision on revision.service_id = service.id
      join instance on instance.revision_id = revision.id where app.mac_id = ${id} and instance.state = 'READY') as running,
    array(select distinct account.app_id from app join topic on topic.app_id = app.id join topic_grant on topic_grant.topic_id = topic.id
      join account on account.id = topic_grant.account_id
      where app.mac_id = ${id} and topic_grant.state = 'APPROVED' and account.app_id <> app.id order by 1) as consumers`.execute(db);
  return rows[0] ?? { running: false, consumers: [] };
};

/** Throws the kind's code if the entry has waiting or active children. */
export const requireNoChildren = async (db: Db, { id, kind }: Pick<EntryRow, 'id' | 'kind'>): Promise<void> => {
  const { kept } = specOf(kind);
  if (!kept) return;
  const column = sql.ref(`${kind}_id`);
  const { rows } = await sql`select 1 from catalog_entry where ${column} = ${id} and status in ('PENDING', 'ACTIVE') limit 1`.execute(db);
  if (rows.length > 0) throw new Problem(kept);
};

/** Decommissions a locked entry. Returns false if it still runs, or has children: it stays active and overdue. */
export const decommissionNow = async (
  trx: Trx,
  deps: CatalogDeps,
  row: Pick<EntryRow, 'id' | 'kind' | 'platform_id'>,
  by: string,
): Promise<boolean> => {
  const isKept = await requireNoChildren(trx, row).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Problem) return true;
      throw error;
    },
  );
  if (isKept || (await dependantsOf(trx, row.id)).running) return false;
  await changeEntry(trx, deps, row, { status: 'DECOMMISSIONED', decommissioned_on: today(), decommission_due: null }, by);
  await noteEvent(trx, row, 'DECOMMISSIONED');
  await notifyDecommissioned(trx, row, by);
  return true;
};

/** Decommissions the entries whose day has come, each in its own transaction. */
export const decommissionDue = async (deps: CatalogDeps): Promise<number> => {
  const { rows } = await sql<{ id: string }>`select id from catalog_entry
    where decommission_due <= current_date and status = 'ACTIVE' order by decommission_due, id limit 1000`.execute(deps.db);
  let done = 0;
  await eachByItself(rows, async ({ id }) => {
    const isDone = await transaction(deps.db, async (trx) => {
      const row = await trx
        .selectFrom('catalog_entry')
        .select(['id', 'kind', 'name', 'platform_id'])
        .where('id', '=', id)
        .where('status', '=', 'ACTIVE')
        .forUpdate()
        .executeTakeFirst();
      if (!row || !(await decommissionNow(trx, deps, row, systemActor.id))) return false;
      const spec = specOf(row.kind);
      await recordPlatformActivity(trx, {
        type: spec.routes.remove.id,
        reason: 'Decommissioned',
        message: `${row.name} was decommissioned, because its day had come`,
        subject: entrySubject(spec, id),
        before: { status: 'ACTIVE' },
        after: { status: 'DECOMMISSIONED' },
      });
      await hintEntry(trx, spec, id);
      return true;
    });
    if (isDone) done += 1;
  });
  return done;
};

/** Requires that the values which the caller sends as proof are the stored ones. */
const requireSeen = (row: EntryRow, { criticalityId, status, labels }: Body): void => {
  const isStale =
    (criticalityId !== undefined && !same(criticalityId, row.criticality)) ||
    (status !== undefined && status !== row.status) ||
    (labels !== undefined && !same(labels, row.labels));
  if (isStale) throw new Problem('EntryChanged');
};

export const askToDecommission = (
  deps: CatalogDeps,
  viewer: Viewer,
  { spec, id }: { readonly spec: KindSpec; readonly id: string },
  body: Body,
): Promise<Raised> =>
  transaction(deps.db, async (trx) => {
    const row = await lockEntry(trx, viewer, spec.kind, id);
    const verdict = canOf(row, viewer)['decommission'];
    if (verdict !== true) throw new Problem(verdict === 'EntryNotActive' ? verdict : 'NotCatalogueOwner');
    const { reason } = body;
    if (typeof reason !== 'string') throw new Problem('ReasonRequired', { field: 'reason' });
    requireSeen(row, body);
    await requireNoChildren(trx, row);
    const targetDate = typeof body['targetDate'] === 'string' ? body['targetDate'] : (row.target_date ?? today());
    if (targetDate < today() && body['targetDate'] !== undefined) throw new Problem('DateInPast', { field: 'targetDate' });
    const dependants = await dependantsOf(trx, row.id);
    const asked = await ask(
      trx,
      deps,
      viewer.caller,
      { row },
      {
        type: 'DECOMMISSION',
        title: `Decommission ${row.name}`,
        payload: { targetDate, reason, ...dependants },
        base: { ...dependants },
        comment: reason,
      },
    );
    await recordEntry(trx, viewer.caller, row, spec.routes.remove, {
      reason: 'Requested',
      message: `${viewer.caller.displayName} asked to decommission ${row.name}: ${reason}`,
      after: { targetDate, reason },
    });
    return asked;
  });

/** Puts a decommissioned entry back. Id, owners, labels and the linked app are as before. */
export const putBack = (deps: CatalogDeps, viewer: Viewer, { spec, id }: { spec: KindSpec; id: string }, reason: string): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const row = await lockEntry(trx, viewer, spec.kind, id);
    const verdict = canOf(row, viewer)['putBack'];
    if (verdict !== true) throw new Problem(verdict === 'NotCatalogueApprover' ? verdict : 'EntryNotDecommissioned');
    const parent = spec.parent && row[spec.parent.column];
    if (spec.parent && parent !== undefined)
      await valuesOf(trx, spec, { [spec.parent.field]: parent }, { ...row, [spec.parent.column]: null });
    await changeEntry(
      trx,
      deps,
      row,
      { status: 'ACTIVE', decommissioned_on: null, decommission_due: null, target_date: null },
      viewer.caller.id,
    );
    await noteEvent(trx, row, 'PUT_BACK');
    await recordEntry(trx, viewer.caller, row, spec.routes.patch, {
      reason: 'Put back',
      message: `${viewer.caller.displayName} put ${row.name} back: ${reason}`,
      before: { status: row.status },
      after: { status: 'ACTIVE', reason },
    });
  });
