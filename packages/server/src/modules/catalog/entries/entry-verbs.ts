/** Writes of an entry beside its fields: attest, report an issue, contents of a product, and unlinking an app. */
import { sql } from 'kysely';
import { catalogAppUnlink, catalogAttestationSet, catalogIssueCreate } from '@slipway/contract/catalog/application.ts';
import { catalogProductApplicationsSet } from '@slipway/contract/catalog/product.ts';
import { isErrorCode } from '@slipway/contract/kernel/errors.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { ask, type Raised } from '../requests/raise.ts';
import { changeEntry, hintEntry, recordEntry, type CatalogDeps, type Trx } from './entry-change.ts';
import { specOf } from './entry-kinds.ts';
import { canOf, type Viewer } from './entry-rights.ts';
import { lockEntry, type EntryRow } from './entry-row.ts';

/** Locks an entry for a verb. Throws the code with which `can` rejects the verb. */
const lockFor = async (trx: Trx, viewer: Viewer, kind: EntryRow['kind'], id: string, verb: string): Promise<EntryRow> => {
  const row = await lockEntry(trx, viewer, kind, id);
  const verdict = canOf(row, viewer)[verb];
  if (verdict !== true) throw new Problem(isErrorCode(verdict ?? '') ? (verdict as 'EntryNotActive') : 'EntryNotActive');
  return row;
};

export const attest = (deps: CatalogDeps, viewer: Viewer, id: string): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const { caller } = viewer;
    const row = await lockFor(trx, viewer, 'application', id, 'attest');
    await changeEntry(trx, deps, row, { attested_at: new Date(), attested_by: caller.id }, caller.id);
    await recordEntry(trx, caller, row, catalogAttestationSet, {
      reason: 'Attested',
      message: `${caller.displayName} confirmed that ${row.name} is still true`,
    });
  });

/** Counts the pending issues of an application, which its scorecard shows. */
export const countIssues = async (trx: Trx, id: string): Promise<void> => {
  await sql`update catalog_entry set open_issues = (select count(*)::integer from request
    where subject_id = ${id} and kind = 'CATALOG_DATA_ISSUE' and status = 'PENDING') where id = ${id}`.execute(trx);
};

export const reportIssue = (
  deps: CatalogDeps,
  viewer: Viewer,
  id: string,
  { comments, field }: { readonly comments: string; readonly field?: string | undefined },
): Promise<Raised> =>
  transaction(deps.db, async (trx) => {
    const { caller } = viewer;
    const row = await lockFor(trx, viewer, 'application', id, 'reportIssue');
    const payload = { comments, ...(field !== undefined && { field }) };
    const title = `Data issue on ${row.name}${field === undefined ? '' : `: ${field}`}`;
    const issue = await ask(
      trx,
      deps,
      caller,
      { row },
      { type: 'DATA_ISSUE', title, payload: { issue: payload }, base: {}, comment: comments },
    );
    await countIssues(trx, row.id);
    await recordEntry(trx, caller, row, catalogIssueCreate, {
      reason: 'Reported',
      message: `${caller.displayName} reported wrong data of ${row.name}`,
      after: payload,
    });
    return issue;
  });

export const unlinkApp = (deps: CatalogDeps, viewer: Viewer, id: string, reason: string): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const { caller } = viewer;
    const row = await lockFor(trx, viewer, 'application', id, 'unlink');
    await trx.updateTable('app').set({ mac_id: null }).where('mac_id', '=', row.id).execute();
    const message = `${caller.displayName} unlinked the app ${row.app?.id} from ${row.name}: ${reason}`;
    await recordEntry(trx, caller, row, catalogAppUnlink, { reason: 'Unlinked', message, before: { app: row.app?.id }, after: { reason } });
  });

/** Replaces the applications of a product. They must be on its platform, and in no other product. */
export const setContents = (deps: CatalogDeps, viewer: Viewer, id: string, applications: readonly string[]): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const { caller } = viewer;
    const row = await lockFor(trx, viewer, 'product', id, 'changeContents');
    const wanted = [...new Set(applications)];
    const { rows } = await sql<{ id: string; status: string; platform: string; product: string | null }>`
      select id, status, platform_id as platform, product_id as product from catalog_entry
      where kind = 'application' and status <> 'REJECTED' and (id = any(${wanted}::text[]) or product_id = ${row.id})
      order by id for update`.execute(trx);
    const field = 'applicationIds';
    for (const one of wanted) {
      const found = rows.find((application) => application.id === one);
      if (!found) throw new Problem('EntryDoesNotExist', { field, context: { kind: 'application', value: one } });
      if (found.platform !== row.platform_id) throw new Problem('ApplicationOfOtherPlatform', { field, context: { value: one } });
      if (found.product !== null && found.product !== row.id)
        throw new Problem('ApplicationInOtherProduct', { field, context: { value: one } });
      if (found.status !== 'ACTIVE' && found.product !== row.id) throw new Problem('EntryNotActive', { field, context: { value: one } });
    }
    const before = rows.filter(({ product }) => product === row.id).map((application) => application.id);
    const moved = [...wanted.filter((one) => !before.includes(one)), ...before.filter((one) => !wanted.includes(one))];
    await sql`update catalog_entry set product_id = case when id = any(${wanted}::text[]) then ${row.id} end, version = version + 1,
      modified_at = now(), modified_by = ${caller.id} where id = any(${moved}::text[])`.execute(trx);
    for (const one of moved) await hintEntry(trx, specOf('application'), one);
    await recordEntry(trx, caller, row, catalogProductApplicationsSet, {
      reason: 'Updated',
      message: `${caller.displayName} changed the applications of ${row.name}`,
      before: { applicationIds: before },
      after: { applicationIds: wanted },
    });
  });
