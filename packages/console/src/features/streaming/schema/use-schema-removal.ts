/** Deletes a schema. If topics use the schema, the button is disabled and says so. */
import { schemaDelete, type Schema } from '@slipway/contract/streaming/schema.ts';
import { paths } from '#entities/paths.ts';
import type { ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import type { SchemaPlace } from '#features/streaming/use-place.ts';
import { useStreamingRemoval } from '#features/streaming/use-removal.ts';

export const useSchemaRemoval = (place: SchemaPlace, schema: Schema): Record<'remove' | 'discard', ConfirmedAction> =>
  useStreamingRemoval({
    route: schemaDelete,
    input: { params: { ...place } },
    label: 'Schema',
    name: schema.name,
    home: paths.events(place, 'schemas'),
    hint: { kind: 'schema', app: place.app, env: place.env },
    description:
      'Its subject is taken out of the registry. Messages that were written with it stay readable while the registry keeps its id.',
    confirmWord: schema.name,
  });
