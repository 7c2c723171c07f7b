/** Team-service paths of apps, the dashboard's list, and the small catalogue to create apps from. */
import {
  applicationCreate,
  applicationCreateV1,
  applicationDelete,
  applicationList,
  applicationListV1,
  applicationMacIdSet,
  applicationSummaryList,
  applicationUpdate,
  applicationView,
  productView,
  type Application,
} from '@slipway/contract/application.ts';
import { catalogueSearch } from '@slipway/contract/catalogue.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { runFor } from '#modules/pipelines/index.ts';
import { createApp, deleteApp, setMacId, updateApp, type AppDeps } from './apps.ts';
import { appById, appPage } from './apps.sql.ts';
import { catalogueEntries } from './catalogue.sql.ts';
import { dashboardPage } from './dashboard.sql.ts';

const listOf = <T>(value: T | T[] | undefined): T[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

export const appRoutes = (deps: AppDeps): Handler[] => {
  const { db } = deps;
  const shown = async (c: { params: { app: string }; caller: Caller }): Promise<Application> => {
    const app = await appById(db, c.params.app, c.caller);
    if (!app) throw new Problem('ApplicationDoesNotExists');
    return app;
  };
  return [
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
    handle(applicationList, (c) => appPage(db, c.query, c.caller)),
    handle(applicationListV1, (c) => appPage(db, c.query, c.caller)),
    handle(applicationView, shown),
    handle(applicationCreate, async (c) =>
      runFor(db, await createApp(deps, c.caller, { ...c.body, macId: c.body.macId ?? c.query.macAppId }), c.caller),
    ),
    handle(applicationCreateV1, async (c) => runFor(db, await createApp(deps, c.caller, c.body), c.caller)),
    handle(applicationUpdate, (c) => updateApp(deps, c.caller, c.params.app, c.body), shown),
    handle(applicationMacIdSet, (c) => setMacId(deps, c.caller, c.params.app, c.body.macId), shown),
    handle(applicationDelete, async (c) => runFor(db, await deleteApp(deps, c.caller, c.params.app), c.caller)),
    handle(productView, async (c) => {
      const entry = await db.selectFrom('catalogue_entry').select('id').where('id', '=', c.params.productCode).executeTakeFirst();
      if (!entry) throw new Problem('MISSING_RESOURCE');
      return entry;
    }),
    handle(catalogueSearch, (c) => catalogueEntries(db, c.query.searchTerm)),
  ];
};
