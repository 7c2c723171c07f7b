/** Steps that create a service, blank or as a copy. */
import { basicAuthGroupOf } from '@slipway/contract/service/service-access.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { StepResult } from '#modules/pipelines/index.ts';
import { setServiceState } from '../creation-guard.ts';
import { hasTraffic } from '../edge-settings.ts';
import { requireSecrets, type RolloutEngines } from './rollout.steps.ts';
import { requireRow, type ServiceContext } from './service-pipeline.ts';
import type { SettingsEngines } from './settings.steps.ts';
import { hasEdgeCredential } from '../settings/settings.sql.ts';
import type { ServiceKey, ServiceRef } from '../services.sql.ts';

type Context = ServiceContext<ServiceKey, object>;
type Engines = Pick<RolloutEngines, 'db'>;

/** Checks the secrets again, because they may have been deleted since the request. */
export const validateNew =
  ({ db }: Engines) =>
  async ({ service, log }: Context): Promise<void> => {
    const spec = (await requireRow(db, service)).spec;
    await requireSecrets(db, service, spec, log);
    log(`${service.service} in ${service.environment}, images from ${spec.containerImageName}`);
  };

export const createService =
  ({ db }: Engines) =>
  async ({ service, log }: Context): Promise<void> => {
    const { resources } = (await requireRow(db, service)).spec;
    log(`${service.service} in ${service.environment}: ${resources.cpuMillicores} m CPU, ${resources.memoryMegabytes} MB`);
  };
export const uncreateService =
  ({ db }: Engines) =>
  ({ service }: Context): Promise<void> =>
    setServiceState(db, service, 'NOT_CREATED');

/** Returns whether the edge requires basic authentication. */
export const isProtected = (spec: ServiceSpec): boolean => hasTraffic(spec) && spec.externalTrafficAuthentication === 'BASIC_AUTH';
export const lacksCredential = async (db: Db, service: ServiceRef): Promise<boolean> => {
  const { id, spec } = await requireRow(db, service);
  return isProtected(spec) && !(await hasEdgeCredential(db, id));
};
/** Creates the edge credentials. They stay with the service if a later step fails, and are deleted when it is discarded. */
export const makeCredential =
  ({ credentials }: Pick<SettingsEngines, 'credentials'>) =>
  async ({ service, log }: Context): Promise<StepResult<object>> => {
    await credentials(service);
    const group = basicAuthGroupOf(service.service);
    log(`User name and password are in ${group}`);
    return { message: { code: 'CredentialsMade', context: { group } } };
  };
