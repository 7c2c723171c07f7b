/** Registers the screens of databases. Their list is a tab of the app page, which the shell registers. */
import { databaseKind } from '@slipway/contract/kinds/database.kind.ts';
import type { Database } from '@slipway/contract/database/database.ts';
import { Database as DatabaseIcon } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

export const databaseScreens = resourceScreens<Database>({
  kind: databaseKind,
  list: async () => (await import('@slipway/contract/database/database.ts')).databaseList,
  icon: <DatabaseIcon aria-hidden="true" />,
  newPage: () => import('./form/NewDatabasePage.tsx'),
  page: () => import('./page/DatabasePage.tsx'),
  hasTabs: true,
  nameOf: ({ name, displayName }) => ({ name, title: displayName }),
});
