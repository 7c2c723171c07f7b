/** The kind `containerRegistry`: an app's project in the registry, one for both environments. Strangers do not learn that one is there. */
import { appKind } from '../application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const containerRegistryKind = declareKind({
  kind: 'containerRegistry',
  label: 'Container registry',
  plural: 'Container registries',
  under: appKind,
  // The project, which is called as its app.
  names: ['project'],
  access: 'appMemberHidden',
  shownBy: ['containerRegistry', 'imageRepository', 'imageTag', 'retention'],
  path: '/app/{app}/development/container-registry',
  pipelines: { UpdateContainerRegistry: 'Change registry project', DeleteContainerRegistry: 'Delete registry project' },
});
