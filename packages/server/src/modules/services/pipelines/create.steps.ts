/** The steps that make a service, blank or as a copy. */
import { basicAuthGroupOf } from '@slipway/contract/service-access.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import type { Db } from '#db/database.ts';
import { registryProjectStep } from '#modules/apps/index.ts';
import { pinSecrets } from '#modules/secret-groups/index.ts';
import { StepFailure, type StepDefinition } from '#modules/pipelines/index.ts';
import { setServiceState } from '../creation.ts';
import { hasTraffic } from '../edge-settings.ts';
import type { ServiceEngines } from './services.pipeline.ts';
import type { ServiceKey } from '../services.sql.ts';
import { hasEdgeCredential } from '../settings/settings.sql.ts';
import { requireRow } from './settings.steps.ts';

/** The rules were obeyed when it was asked for; secrets may have gone since. */
export const validateStep = <I extends ServiceKey, S extends object>({ db }: ServiceEngines): StepDefinition<I, S> => ({
  code: 'ValidateService',
  run: async ({ input, log }) => {
    const service = await requireRow(db, input);
    const spec = service.spec as ServiceSpec;
    const pinned = await pinSecrets(db, input, { id: service.id, spec });
    if ('dangling' in pinned) {
      // The log is the team's own; the message is everybody's.
      log(pinned.told, 'ERROR');
      throw new StepFailure(pinned.dangling);
    }
    log(`${input.service} in ${input.environment}, images from ${spec.containerImageName}`);
  },
});

/** The app's project, with the images of all its services: a service that fails takes nothing of it away. */
export const sharedProjectStep = <I extends ServiceKey, S extends object>(engines: ServiceEngines): StepDefinition<I, S> => {
  const { code, run } = registryProjectStep<I>(engines);
  return { code, run: (c) => run(c) as Promise<undefined> };
};

export const createServiceStep = <I extends ServiceKey, S extends object>({ db }: ServiceEngines): StepDefinition<I, S> => ({
  code: 'CreateService',
  run: async ({ input, log }) => {
    const service = await requireRow(db, input);
    const { resources } = service.spec as ServiceSpec;
    log(`${input.service} in ${input.environment}: ${resources.cpuMillicores} m CPU, ${resources.memoryMegabytes} MB`);
  },
  undo: ({ input }) => setServiceState(db, input, 'NOT_CREATED'),
});

/** Whether the edge would ask for user name and password. */
export const isProtected = (spec: ServiceSpec): boolean => hasTraffic(spec) && spec.externalTrafficAuthentication === 'BASIC_AUTH';
const needsCredential = async (db: Db, key: ServiceKey): Promise<boolean> => {
  const { id, spec } = await requireRow(db, key);
  return isProtected(spec as ServiceSpec) && !(await hasEdgeCredential(db, id));
};
/** They stay with the service when a later step fails, and go with it when it is discarded. */
export const credentialsStep = <I extends ServiceKey, S extends object>({ db, credentials }: ServiceEngines): StepDefinition<I, S> => ({
  code: 'ConfigureCredentials',
  run: async ({ input, log }) => {
    if (!(await needsCredential(db, input))) return { skipped: true };
    await credentials(input);
    const group = basicAuthGroupOf(input.service);
    log(`User name and password are in ${group}`);
    return { message: { code: 'CredentialsMade', context: { group } } };
  },
});
