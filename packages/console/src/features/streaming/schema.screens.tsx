/** Registers the screens of schemas. Their list is part of the app page, which the shell registers. */
import { schemaKind } from '@slipway/contract/streaming/schema.kind.ts';
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import { Braces } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

const page = () => import('./schema/SchemaPage.tsx');
const create = () => import('./schema/NewSchemaPage.tsx');

export const schemaScreens = resourceScreens<Schema>({
  kind: schemaKind,
  list: async () => (await import('@slipway/contract/streaming/schema.ts')).schemaList,
  icon: <Braces aria-hidden="true" />,
  load: async () => ({
    ListPage: (await import('./lists/SchemasList.tsx')).Component,
    NewPage: (await create()).Component,
    Page: (await page()).Component,
  }),
  nameOf: ({ name }) => ({ name, title: name }),
  routes: [
    { path: 'app/:app/:env/events-processing/create-schema', lazy: create },
    { path: 'app/:app/:env/events-processing/schemas/:schema', lazy: page },
    { path: 'app/:app/:env/events-processing/schemas/:schema/promotion', lazy: () => import('./promotion/SchemaPromotionPage.tsx') },
  ],
  pages: () => [],
  actions: () => [],
});
