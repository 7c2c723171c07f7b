/** Monthly summaries, and the risk summary of platforms and portfolios. */
import { sql } from 'kysely';
import { catalogMonthlySummary, catalogRiskView, catalogSummaryPlatforms, riskColumns } from '@slipway/contract/catalog/summary.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { requireEntry, viewerOf } from '../entries/entry-row.ts';
import { monthlySummary, summaryPlatforms } from './monthly-summary.ts';

const conditions: Readonly<Record<(typeof riskColumns)[number], string>> = {
  verified: 'is_verified',
  unverified: 'not is_verified',
  withoutOwner: 'cardinality(catalog_active(owners)) = 0',
  datePassed: 'target_date <= current_date',
  openIssue: 'open_issues > 0',
};
interface Row {
  readonly criticality: string | null;
  readonly total: number;
  readonly counts: Record<string, number>;
}

export const summaryRoutes = (db: Db): Handler[] => [
  handle(catalogMonthlySummary, ({ query }) => monthlySummary(db, query.platformId, query.summaryMonth)),
  handle(catalogSummaryPlatforms, ({ caller }) => summaryPlatforms(db, caller.id)),
  handle(catalogRiskView, async ({ caller, query: { platformId, portfolioId } }) => {
    const [kind, id] = platformId === undefined ? (['portfolio', portfolioId] as const) : (['platform', platformId] as const);
    if (id === undefined) throw new Problem('InvalidValue', { field: 'platformId' });
    const { id: parent } = await requireEntry(db, await viewerOf(db, caller), kind, id);
    const counts = riskColumns.map((name) => sql`${sql.lit(name)}, count(*) filter (where ${sql.raw(conditions[name])})`);
    const { rows } = await sql<Row>`select criticality, count(*)::integer as total, jsonb_build_object(${sql.join(counts)}) as counts
      from catalog_entry where kind = 'application' and status = 'ACTIVE' and ${sql.ref(`${kind}_id`)} = ${parent}
      group by criticality order by (select position from catalog_option where list = 'criticalityCategories' and id = criticality)`.execute(
      db,
    );
    return { rows: rows.map((row) => ({ criticalityId: row.criticality, total: row.total, counts: row.counts })) };
  }),
];
