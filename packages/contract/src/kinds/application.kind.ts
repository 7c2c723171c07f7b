/** The kind `app`: one app covers both environments. */
import { declareKind } from '../kernel/subject.ts';

export const appKind = declareKind({
  kind: 'app',
  label: 'App',
  plural: 'Apps',
  names: ['app'],
  access: 'signedIn',
  shownBy: ['application', 'service', 'me', 'teamView', 'teamList', 'catalog', 'appMap', 'teamMap'],
  path: '/app/{app}',
  pipelines: {
    QuickstartApplication: 'Quickstart app',
    QuickstartApplicationParts: 'Quickstart app with its data',
    CreateApplication: 'Create app',
    UpdateApplication: 'Change app',
    DeleteApplication: 'Delete app',
  },
});
