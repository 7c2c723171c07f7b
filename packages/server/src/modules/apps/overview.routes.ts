/** The dashboard's list of apps. */
import { applicationSummaryList, productView } from '@slipway/contract/application.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { dashboardPage } from './dashboard.sql.ts';

const listOf = <T>(value: T | T[] | undefined): T[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

export const overviewRoutes = (db: Db): Handler[] => [
  handle(applicationSummaryList, async ({ query, caller }) => {
    const filter = {
      ...query,
      identityId: caller.id,
      query: query.query,
      sort: query.sort,
      teams: listOf(query.team),
      health: listOf(query.health),
    };
    const { content, total, counts } = await dashboardPage(db, filter);
    return { ...pageOf(content, total, query), counts };
  }),
  handle(productView, async (c) => {
    const entry = await db
      .selectFrom('catalog_entry')
      .select('id')
      .where('id', '=', c.params.productCode)
      .where('status', '<>', 'REJECTED')
      .executeTakeFirst();
    if (!entry) throw new Problem('MISSING_RESOURCE');
    return entry;
  }),
];
