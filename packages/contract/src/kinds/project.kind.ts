/** The kind `containerRegistry`: an app's registry project, one for both environments. Non-members cannot tell whether a project exists. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const containerRegistryKind = declareKind({
  kind: 'containerRegistry',
  label: 'Container registry',
  plural: 'Container registries',
  under: appKind,
  // The project has the same name as its app.
  names: ['project'],
  access: 'appMemberHidden',
  shownBy: ['containerRegistry', 'imageRepository', 'imageTag', 'retention'],
  path: '/app/{app}/development/container-registry',
  pipelines: { UpdateContainerRegistry: 'Change registry project', DeleteContainerRegistry: 'Delete registry project' },
});
