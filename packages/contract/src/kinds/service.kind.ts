/** The kind `service`. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

const path = '/app/{app}/{env}/service/{service}';

export const serviceKind = declareKind({
  kind: 'service',
  label: 'Service',
  plural: 'Services',
  under: appKind,
  names: ['env', 'service'],
  access: 'signedIn',
  shownBy: ['service', 'revision', 'application', 'repositor', 'need', 'appMap', 'teamMap'],
  path,
  pipelinePath: `${path}/pipeline/{pipelineId}`,
  pipelines: {
    QuickstartService: 'Quickstart service',
    Deploy: 'Deploy',
    BuildAndDeploy: 'Build and deploy',
    CreateService: 'Create service',
    UpdateService: 'Change settings',
    Rollback: 'Roll back',
    CopyService: 'Copy service',
    ConnectRepository: 'Connect to a repository',
    ScaleDown: 'Scale down',
    ServiceActivation: 'Activate or deactivate',
    DeleteService: 'Delete service',
  },
});
