/** The kind `schema`. Schema content is not secret: every signed-in identity may read it. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const schemaKind = declareKind({
  kind: 'schema',
  label: 'Schema',
  plural: 'Schemas',
  under: appKind,
  names: ['env', 'schema'],
  access: 'signedIn',
  shownBy: ['schema', 'appMap'],
  path: '/app/{app}/{env}/events-processing/schemas/{schema}',
  listPath: '/app/{app}/{env}/events-processing/schemas',
  newPath: '/app/{app}/{env}/events-processing/create-schema',
  pipelines: {
    CreateSchema: 'Create schema',
    UpdateSchema: 'Change schema',
    DeleteSchema: 'Delete schema',
    ReconcileSchema: 'Make schema and registry match',
  },
});
