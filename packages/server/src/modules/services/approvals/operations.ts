/** Every write of a service, by the id of its route. Routes perform them, and approvals perform them later. */
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { revisionActivation, revisionDelete } from '@slipway/contract/service/revision.ts';
import { serviceActivation, serviceDelete, serviceDeploy } from '@slipway/contract/service/service.ts';
import {
  serviceCopy,
  serviceCreate,
  serviceRepositorySet,
  serviceRollback,
  serviceUpdate,
  serviceYamlUpdate,
} from '@slipway/contract/service/service-operations.ts';
import { prepareCopy } from '../copy/copy.ts';
import { prepareCreate, type CreationDeps } from '../create-service.ts';
import type { Change, Operation } from '../operation.ts';
import { prepareRepository } from '../repository/repository.ts';
import { prepareRevisionActivation, prepareRevisionDelete } from '../revisions/revision-writes.ts';
import { prepareRollback } from '../revisions/rollback.ts';
import { prepareActivation, prepareDelete, prepareDeploy } from '../services.ts';
import type { ServiceKey } from '../services.sql.ts';
import { prepareUpdate } from '../settings/settings.ts';
import { prepareYaml } from '../yaml/service-yaml.ts';

interface Placed {
  readonly params: { readonly app: string; readonly service: string };
  readonly environment: ServiceKey['environment'];
}
export const keyOf = ({ params: { app, service }, environment }: Placed): ServiceKey => ({ app, environment, service });

const operation = <const R extends RouteShape>(
  shape: Operation<CreationDeps, Change<R>> & { readonly route: R },
): Operation<CreationDeps, Change<R>> => shape;

export const operations = {
  serviceCreate: operation({
    route: serviceCreate,
    key: ({ params: { app }, environment, body }) => ({ app, environment, service: body.name }),
    prepare: (deps, { by }, key, { body }) => prepareCreate(deps, by, key, body),
  }),
  serviceCopy: operation({
    route: serviceCopy,
    key: ({ params: { app }, body }) => ({ app, environment: body.environment, service: body.name }),
    prepare: (deps, author, _key, change) => prepareCopy(deps, author, keyOf(change), change.body),
  }),
  serviceUpdate: operation({
    route: serviceUpdate,
    key: keyOf,
    prepare: (deps, { by, isPinned }, key, { body: { settingsVersion: version, ...settings } }) =>
      prepareUpdate(deps, by, key, { settings, version, isPinned }),
  }),
  serviceYamlUpdate: operation({
    route: serviceYamlUpdate,
    key: keyOf,
    prepare: (deps, { by, isPinned }, key, { body }) => prepareYaml(deps, by, key, { yaml: body.yaml, isPinned }),
  }),
  serviceRepositorySet: operation({
    route: serviceRepositorySet,
    key: keyOf,
    prepare: (deps, { by, isPinned }, key, { body }) => prepareRepository(deps, by, key, { ...body, isPinned }),
  }),
  serviceDeploy: operation({
    route: serviceDeploy,
    key: keyOf,
    prepare: (deps, { by, isPinned }, key, { body }) => prepareDeploy(deps, by, key, { imageTag: body.imageTag, isPinned }),
  }),
  serviceActivation: operation({
    route: serviceActivation,
    turnsOff: ({ body }) => !body.active,
    key: keyOf,
    prepare: (deps, { by }, key, { body }) => prepareActivation(deps, by, key, body.active),
  }),
  serviceDelete: operation({ route: serviceDelete, key: keyOf, prepare: (deps, { by }, key) => prepareDelete(deps, by, key) }),
  serviceRollback: operation({
    route: serviceRollback,
    isExempt: true,
    key: keyOf,
    prepare: (deps, { by }, key, { body }) => prepareRollback(deps, by, key, body),
  }),
  revisionActivation: operation({
    route: revisionActivation,
    turnsOff: ({ body }) => !body.enabled,
    key: keyOf,
    prepare: (deps, { by }, key, { params, body }) =>
      prepareRevisionActivation(deps, by, key, { name: params.revision, enabled: body.enabled }),
  }),
  revisionDelete: operation({
    route: revisionDelete,
    key: keyOf,
    prepare: (deps, { by }, key, { params }) => prepareRevisionDelete(deps, by, key, params.revision),
  }),
};
/** The operation of a route. Undefined for an operation that another version of the platform knows. */
export const operationOf = (id: string): Operation<CreationDeps> | undefined =>
  new Map<string, Operation<CreationDeps>>(Object.entries(operations)).get(id);
