/** Reads advisory sets and their version, which increases with every change. */
import type { AdvisorySet } from '@slipway/contract/registry/advisory.ts';
import type { AdvisoriesUsed } from '@slipway/contract/registry/scan.ts';
import { sql, type Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { AdvisorySetTable } from '#db/types.ts';
import { AdvisoryEntry } from './osv.ts';

export const toAdvisorySet = (row: Selectable<AdvisorySetTable>): AdvisorySet => ({
  name: row.name,
  title: row.title,
  isDemo: row.is_demo,
  entries: row.entries,
  withdrawn: row.withdrawn,
  refused: row.refused,
  refusals: row.refusals,
  ecosystems: row.ecosystems,
  asOf: row.as_of.toISOString(),
  importedAt: row.imported_at.toISOString(),
  importedBy: row.imported_by,
});

export const advisorySets = async (db: Db): Promise<AdvisorySet[]> =>
  (await db.selectFrom('advisory_set').selectAll().orderBy('name').execute()).map(toAdvisorySet);

export const toUsed = ({ name: set, title, isDemo, asOf, entries }: AdvisorySet): AdvisoriesUsed => ({ set, title, isDemo, asOf, entries });

/** Increments the version, so that existing results are compared again. */
export const raiseVersion = async (trx: Db): Promise<void> => {
  await trx
    .updateTable('advisory_version')
    .set({ number: sql<number>`number + 1` })
    .execute();
};
export const advisoryVersion = async (db: Db): Promise<number> =>
  (await db.selectFrom('advisory_version').select('number').executeTakeFirstOrThrow()).number;

export interface KnownAdvisory {
  readonly ecosystem: string;
  readonly package: string;
  readonly id: string;
  readonly entry: AdvisoryEntry;
}
/** Returns the advisories of these packages. An advisory in several sets is returned once per set. */
export const advisoriesFor = async (db: Db, packages: readonly { ecosystem: string; name: string }[]): Promise<KnownAdvisory[]> => {
  const { rows } = await sql<{ ecosystem: string; package: string; id: string; entry: unknown }>`
    select ecosystem, package, id, entry from advisory
    where (ecosystem, package) in (
      select * from unnest(${packages.map(({ ecosystem }) => ecosystem)}::text[], ${packages.map(({ name }) => name)}::text[]))
    order by ecosystem, package, id`.execute(db);
  return rows.map(({ entry, ...row }) => ({ ...row, entry: AdvisoryEntry.parse(entry) }));
};
