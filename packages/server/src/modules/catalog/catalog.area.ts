/** The catalog: applications, platforms, portfolios and products, with requests, search and summaries. */
import type { AreaOf } from '#modules/resources/index.ts';
import { directoryRoutes } from './directory/directory.routes.ts';
import { entryRoutes } from './entries/entries.routes.ts';
import { catalogTask } from './facts/nightly.ts';
import { summaryRoutes } from './facts/summary.routes.ts';
import { treeRoutes } from './facts/tree.routes.ts';
import { catalogRequestKinds } from './requests/request-kinds.ts';
import { requestRoutes } from './requests/requests.routes.ts';
import { searchRoutes } from './search/search.routes.ts';

export const catalogArea: AreaOf = ({ database: { db }, requests, log }) => {
  const deps = { db, requests };
  return {
    routes: [
      ...entryRoutes(deps),
      ...requestRoutes(deps),
      ...searchRoutes(db),
      ...directoryRoutes(db),
      ...summaryRoutes(db),
      ...treeRoutes(db),
    ],
    requestKinds: catalogRequestKinds(deps),
    tasks: [catalogTask(deps, log)],
  };
};
