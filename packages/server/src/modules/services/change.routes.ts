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
import { prepareCopy } from './copy/copy.ts';
import { prepareCreate, type CreationDeps } from './create-service.ts';
import { write } from './operation.ts';
import { prepareRepository, repositoriesOf } from './repository/repository.ts';
import { prepareYaml, yamlText } from './yaml/service-yaml.ts';
import type { ServiceKey } from './services.sql.ts';

type Place = { params: { app: string }; environment: ServiceKey['environment'] };
const keyOf = (c: Place, service: string): ServiceKey => ({ app: c.params.app, environment: c.environment, service });

export const serviceChangeRoutes = (deps: CreationDeps): Handler[] => [
  handle(serviceCreate, (c) => {
    const key = keyOf(c, c.body.name);
    return write(deps, c, key, prepareCreate(deps, c.caller, key, c.body));
  }),
  handle(serviceCopy, (c) => {
    const from = keyOf(c, c.params.service);
    const key: ServiceKey = { ...from, environment: c.body.environment, service: c.body.name };
    return write(deps, c, key, prepareCopy(deps, c.caller, from, c.body));
  }),
  handle(repositoryList, (c) => repositoriesOf(deps, c.params.app)),
  handle(serviceRepositorySet, (c) => {
    const key = keyOf(c, c.params.service);
    return write(deps, c, key, prepareRepository(deps, c.caller, key, c.body));
  }),
  handle(serviceYamlView, async (c) =>
    c.reply
      .type('application/yaml; charset=utf-8')
      .header('content-disposition', 'inline; filename="service.yaml"')
      .header('x-content-type-options', 'nosniff')
      .send(await yamlText(deps, keyOf(c, c.params.service))),
  ),
  handle(serviceYamlUpdate, (c) => {
    const key = keyOf(c, c.params.service);
    return write(deps, c, key, prepareYaml(deps, c.caller, key, c.body.yaml));
  }),
];
