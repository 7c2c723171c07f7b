/** Writes of services, revisions and secret groups. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import {
  secretGroupCopy,
  secretGroupCreate,
  secretGroupDelete,
  secretGroupRestart,
  secretGroupUpdate,
  secretKeyExpiry,
  secretReveal,
  secretVersionCreate,
  secretVersionDelete,
  secretVersionRestore,
  serviceSecretGroupAttach,
  serviceSecretGroupDetach,
} from '@slipway/contract/secret/secret-group.ts';
import { revisionActivation, revisionDelete, revisionList, type Revision } from '@slipway/contract/service/revision.ts';
import { serviceAccessTokenCreate, serviceBasicAuthRotate } from '@slipway/contract/service/service-access.ts';
import {
  serviceCopy,
  serviceCreate,
  serviceRepositorySet,
  serviceRollback,
  serviceSettingsView,
  serviceUpdate,
  serviceYamlUpdate,
  type ServiceSettingsView,
} from '@slipway/contract/service/service-operations.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceActivation, serviceDelete, serviceDeploy } from '@slipway/contract/service/service.ts';
import { runWrites } from './app-writes.ts';
import { SERVICE, view, type Place, type World, type Write } from './write.ts';

const service = { service: SERVICE };
const idle = `${SERVICE}-idle`;
const group = { group: 'keys' };
const entries = (value: string) => [{ key: 'PASSWORD', value }];

/** The settings as they are, with another sign-in. */
const signIn = (externalTrafficAuthentication: ServiceSpec['externalTrafficAuthentication']) => async (world: World, place: Place) => {
  const { githubRepositoryName, active, spec } = await view<ServiceSettingsView>(world, place, serviceSettingsView, service);
  return { params: service, body: { githubRepositoryName, active, spec: { ...spec, externalTrafficAuthentication } } };
};
const newest = async (world: World, place: Place) => {
  const { content } = await view<Page<Revision>>(world, place, revisionList, service);
  return { ...service, revision: content[0]?.name ?? '' };
};
const namesake = { isInNamesakes: true } as const;

export const secretWrites: readonly Write[] = [
  { route: secretGroupCreate, ...namesake, request: { body: { name: 'keys', entries: entries('one') } } },
  { route: secretGroupCreate, ...namesake, request: { body: { name: 'spare', entries: entries('one') } } },
  { route: secretVersionCreate, ...namesake, request: { params: group, body: { basedOn: 1, entries: entries('two') } } },
  { route: secretVersionRestore, request: { params: { ...group, version: '1' } } },
  { route: secretKeyExpiry, request: { params: { ...group, key: 'PASSWORD' }, body: { expiresAt: '2999-01-31' } } },
  { route: secretReveal, request: { params: group, body: { key: 'PASSWORD', version: 1, reason: 'The test reads it' } } },
  { route: secretVersionDelete, request: { params: { ...group, version: '2' } } },
  { route: secretGroupCopy, request: { params: group, body: { environment: 'development', name: 'copied' } } },
  { route: secretGroupUpdate, request: { params: { group: 'spare' }, body: { autoAttach: true } } },
  { route: secretGroupDelete, request: { params: { group: 'spare' } } },
];

export const serviceWrites: readonly Write[] = [
  { route: serviceCreate, ...namesake, request: { body: { name: SERVICE } } },
  { route: serviceCreate, ...namesake, request: { body: { name: idle } } },
  { route: serviceSecretGroupAttach, ...namesake, request: { params: { ...service, ...group }, body: { exposeAsEnvironment: false } } },
  { route: serviceDeploy, ...namesake, request: { params: service, body: { imageTag: 'one' } } },
  { route: serviceUpdate, ...namesake, request: signIn('BASIC_AUTH') },
  { route: serviceBasicAuthRotate, request: { params: service } },
  { route: serviceUpdate, request: signIn('AZURE_AUTH') },
  { route: serviceAccessTokenCreate, request: { params: service } },
  { route: serviceYamlUpdate, request: { params: service, body: { yaml: 'spec:\n  scaleDownAfterDays: 7\n' } } },
  {
    route: secretGroupRestart,
    before: ({ app }, place) =>
      app.call('member', secretVersionCreate, { params: { ...place, ...group }, body: { basedOn: 3, entries: entries('three') } }),
    request: { params: group, body: { services: [SERVICE] } },
  },
  { route: serviceRepositorySet, request: { params: service, body: { githubRepositoryName: SERVICE } } },
  { route: serviceSecretGroupDetach, request: { params: { ...service, ...group } } },
  {
    route: serviceCopy,
    request: { params: service, body: { environment: 'development', name: `${SERVICE}-copy`, imageTag: null } },
  },
  { route: serviceDeploy, request: { params: service, body: { imageTag: 'two' } } },
  { route: revisionActivation, request: async (world, place) => ({ params: await newest(world, place), body: { enabled: false } }) },
  { route: revisionDelete, request: async (world, place) => ({ params: await newest(world, place) }) },
  { route: serviceRollback, request: { params: { ...service }, body: { revision: `${SERVICE}-1`, reason: 'The test goes back' } } },
  ...runWrites,
  { route: serviceActivation, request: { params: service, body: { active: false } } },
  { route: serviceDelete, request: { params: { service: idle } } },
];
