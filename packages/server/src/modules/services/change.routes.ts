/** Paths of what makes a service, changes where it comes from, or changes it as a whole: blank services, repositories, service.yaml. */
import {
  repositoryList,
  serviceCopy,
  serviceCreate,
  serviceRepositorySet,
  serviceYamlUpdate,
  serviceYamlView,
} from '@slipway/contract/service-change.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { prepareCopy } from './copy/copy.ts';
import { prepareCreate, type CreationDeps } from './create.ts';
import { planOrRun } from './plan.ts';
import { prepareRepository, repositoriesOf } from './repository/repository.ts';
import { prepareYaml, yamlText } from './yaml/service-yaml.ts';
import type { ServiceKey } from './services.sql.ts';

type Place = { params: { app: string }; environment: ServiceKey['environment'] };
const keyOf = (c: Place, service: string): ServiceKey => ({ app: c.params.app, environment: c.environment, service });

export const serviceChangeRoutes = (deps: CreationDeps): Handler[] => [
  handle(serviceCreate, async (c) => {
    const key = keyOf(c, c.body.name);
    return planOrRun(deps, c.caller, { key, isDryRun: c.query.dryRun }, await prepareCreate(deps, c.caller, key, c.body));
  }),
  handle(serviceCopy, async (c) => {
    const from = keyOf(c, c.params.service);
    const key: ServiceKey = { ...from, environment: c.body.environment, service: c.body.name };
    return planOrRun(deps, c.caller, { key, isDryRun: c.query.dryRun }, await prepareCopy(deps, c.caller, from, c.body));
  }),
  handle(repositoryList, (c) => repositoriesOf(deps, c.params.app)),
  handle(serviceRepositorySet, async (c) => {
    const key = keyOf(c, c.params.service);
    return planOrRun(deps, c.caller, { key, isDryRun: c.query.dryRun }, await prepareRepository(deps, c.caller, key, c.body));
  }),
  handle(serviceYamlView, async (c) =>
    c.reply
      .type('application/yaml; charset=utf-8')
      .header('content-disposition', 'inline; filename="service.yaml"')
      .header('x-content-type-options', 'nosniff')
      .send(await yamlText(deps, keyOf(c, c.params.service))),
  ),
  handle(serviceYamlUpdate, async (c) => {
    const key = keyOf(c, c.params.service);
    return planOrRun(deps, c.caller, { key, isDryRun: c.query.dryRun }, await prepareYaml(deps, c.caller, key, c.body.yaml));
  }),
];
