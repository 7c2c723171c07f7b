/** Registers the screens of databases. Their list is a tab of the app page, which the shell registers. */
import { databaseKind } from '@slipway/contract/database/database.kind.ts';
import type { Database } from '@slipway/contract/database/database.ts';
import { Database as DatabaseIcon } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

const page = () => import('./page/DatabasePage.tsx');
const create = () => import('./form/NewDatabasePage.tsx');

export const databaseScreens = resourceScreens<Database>({
  kind: databaseKind,
  list: async () => (await import('@slipway/contract/database/database.ts')).databaseList,
  icon: <DatabaseIcon aria-hidden="true" />,
  load: async () => ({
    ListPage: (await import('./list/AppDatabasesTab.tsx')).Component,
    NewPage: (await create()).Component,
    Page: (await page()).Component,
  }),
  nameOf: ({ name, displayName }) => ({ name, title: displayName }),
  // Both routes render the same page, which is prefetched.
  routes: [
    { path: 'app/:app/:env/new-database', lazy: create },
    { path: 'app/:app/:env/database/:database', lazy: page },
    { path: 'app/:app/:env/database/:database/:tab', lazy: page },
  ],
  // The app's own pages offer these, subject to permission.
  pages: () => [],
  actions: () => [],
});
