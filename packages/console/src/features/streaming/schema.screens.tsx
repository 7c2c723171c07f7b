/** Registers the screens of schemas. Their list is part of the app page, which the shell registers. */
import { schemaKind } from '@slipway/contract/kinds/schema.kind.ts';
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import { Braces } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

export const schemaScreens = resourceScreens<Schema>({
  kind: schemaKind,
  list: async () => (await import('@slipway/contract/streaming/schema.ts')).schemaList,
  icon: <Braces aria-hidden="true" />,
  newPage: () => import('./schema/NewSchemaPage.tsx'),
  page: () => import('./schema/SchemaPage.tsx'),
  nameOf: ({ name }) => ({ name, title: name }),
  moreRoutes: [
    { path: 'app/:app/:env/events-processing/schemas/:schema/promotion', lazy: () => import('./promotion/SchemaPromotionPage.tsx') },
  ],
});
