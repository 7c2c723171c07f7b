/** The catalog: applications, platforms, portfolios and products, with requests, search, imports and summaries. */
import type { AreaOf } from '#modules/resources/index.ts';
import { backstageRoutes } from './backstage/export-entities.ts';
import { directoryRoutes } from './directory/directory.routes.ts';
import { standingRoutes } from './directory/standing.routes.ts';
import { entryRoutes } from './entries/entries.routes.ts';
import { catalogTask } from './facts/nightly.ts';
import { summaryRoutes } from './facts/summary.routes.ts';
import { importRounds } from './imports/import-worker.ts';
import { importRoutes } from './imports/imports.routes.ts';
import { treeRoutes } from './facts/tree.routes.ts';
import { catalogRequestKinds } from './requests/request-kinds.ts';
import { requestRoutes } from './requests/requests.routes.ts';
import { searchRoutes } from './search/search.routes.ts';
import { suggestionRoutes } from './search/suggestions.ts';

export const catalogArea: AreaOf = ({ database: { db, pool }, requests, publicUrl, adapters: { directory, signIn }, log }) => {
  const deps = { db, requests };
  const imports = importRounds({ ...deps, pool, log });
  return {
    routes: [
      ...entryRoutes(deps),
      ...requestRoutes(deps),
      ...searchRoutes(db),
      ...directoryRoutes(db),
      ...summaryRoutes(db),
      ...standingRoutes(db, directory, signIn.endSessions),
      ...suggestionRoutes(db),
      ...backstageRoutes(db, { publicUrl }),
      ...importRoutes(db, () => imports.wake()),
      ...treeRoutes(db),
    ],
    requestKinds: catalogRequestKinds(deps),
    tasks: [catalogTask(deps, directory, log), imports],
  };
};
