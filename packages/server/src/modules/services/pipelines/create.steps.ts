/** What the steps do that make a service, blank or as a copy. */
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

/** The rules were obeyed when it was asked for; secrets may have gone since. */
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

/** Whether the edge would ask for user name and password. */
export const isProtected = (spec: ServiceSpec): boolean => hasTraffic(spec) && spec.externalTrafficAuthentication === 'BASIC_AUTH';
export const lacksCredential = async (db: Db, service: ServiceRef): Promise<boolean> => {
  const { id, spec } = await requireRow(db, service);
  return isProtected(spec) && !(await hasEdgeCredential(db, id));
};
/** They stay with the service when a later step fails, and go with it when it is discarded. */
export const makeCredential =
  ({ credentials }: Pick<SettingsEngines, 'credentials'>) =>
  async ({ service, log }: Context): Promise<StepResult<object>> => {
    await credentials(service);
    const group = basicAuthGroupOf(service.service);
    log(`User name and password are in ${group}`);
    return { message: { code: 'CredentialsMade', context: { group } } };
  };
