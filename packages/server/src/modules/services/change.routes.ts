/** Routes that create a service, set its repository, copy it, or change it as a whole with service.yaml. */
import {
  repositoryList,
  serviceCopy,
  serviceCreate,
  serviceRepositorySet,
  serviceYamlUpdate,
  serviceYamlView,
} from '@slipway/contract/service/service-operations.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { keyOf, operations } from './approvals/operations.ts';
import type { CreationDeps } from './create-service.ts';
import { write } from './operation.ts';
import { repositoriesOf } from './repository/repository.ts';
import { yamlText } from './yaml/service-yaml.ts';

export const serviceChangeRoutes = (deps: CreationDeps): Handler[] => [
  handle(serviceCreate, (c) => write(deps, c, operations.serviceCreate)),
  handle(serviceCopy, (c) => write(deps, c, operations.serviceCopy)),
  handle(repositoryList, (c) => repositoriesOf(deps, c.params.app)),
  handle(serviceRepositorySet, (c) => write(deps, c, operations.serviceRepositorySet)),
  handle(serviceYamlView, async (c) =>
    c.reply
      .type('application/yaml; charset=utf-8')
      .header('content-disposition', 'inline; filename="service.yaml"')
      .header('x-content-type-options', 'nosniff')
      .send(await yamlText(deps, keyOf(c))),
  ),
  handle(serviceYamlUpdate, (c) => write(deps, c, operations.serviceYamlUpdate)),
];
