/** Operations that change a service as a whole: make, update, roll back, copy, read from YAML, connect to a repository. */
import * as z from 'zod/mini';
import { Environment, ImageTag, RepositoryName, RequiredText, ServiceName } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { DryRunQuery, PlanOrRun } from '../pipeline/plan.ts';
import { ServiceSettings, settingsFieldOf } from './service-settings.ts';
import { ServiceSpec } from './service-spec.ts';

const tag = 'Services';
const services = '/api/v1/apps/{app}/{env}/services';
const one = `${services}/{service}`;
const appCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'NotAMember'] as const;
const oneCodes = [...appCodes, 'ServiceDoesNotExist'] as const;
/** Whatever the rules of `service-rules.ts` and the schemas may say of a field. */
export const settingsCodes = [
  'Required',
  'InvalidValue',
  'Minimum',
  'Maximum',
  'NotANumber',
  'NotAnInteger',
  'NotAPath',
  'NotAHost',
  'DoesNotMatchPattern',
  'ExceedsMaximumLength',
  'NotARegularExpression',
  'NotARegistryPath',
  'ContainerImageWrong',
  'HARBOR_REPOSITORY_ADDRESS_IS_WRONG_OR_IT_DOES_NOT_EXIST',
  'INVALID_ENV_VAR_NAME',
  'DuplicateEnvVar',
  'SameMountPath',
  'DuplicateVolumePaths',
  'ReservedMountPath',
  'SystemMountPath',
  'PrivateHost',
  'SecretVolumeNotReferenced',
  'SecretKeyNotReferenced',
  'SecretFileFormatUnknown',
  'ReplicasAboveMaximum',
  'MinReplicasAboveMaximum',
  'ExternalTrafficNeedsInternal',
  'ApiProxyNeedsJwt',
  'SignInNeedsNetworks',
  'BasePathFixed',
  'DomainInUse',
  'DomainReserved',
  'NotOnThisEngine',
  'RegionDoesNotExist',
  'RepositoryNameOnly',
  'ChooseExistingRepository',
] as const;

/** Settings of the same name stand in several places: their own labels say which. */
const fieldLabel = (field: string): string | undefined => settingsFieldOf(field)?.label;
/** Five hundred variables of a usual length; all of them at their longest would not fit. */
const bodyLimitKilobytes = 1024;

export const ServiceCreate = z.object({
  name: ServiceName,
  githubRepositoryName: z._default(z.nullable(RepositoryName), null),
  /** Left out: a new service's settings, with its own image `{registry}/{app}/{name}`. */
  spec: z.optional(ServiceSpec),
});
export const serviceCreate = route({
  id: 'serviceCreate',
  method: 'POST',
  path: services,
  summary: 'Make a blank service; nothing runs before its first pipeline',
  tag,
  access: 'appMember',
  query: DryRunQuery,
  body: ServiceCreate,
  fieldLabel,
  bodyLimitKilobytes,
  response: PlanOrRun,
  status: 202,
  codes: [
    ...appCodes,
    ...settingsCodes,
    'KebabCase',
    'MinimumLength',
    'InvalidName',
    'ServiceNameMustStartWithApplicationName',
    'ServiceAlreadyExists',
    'ApplicationNotCreated',
  ],
});

export const ServiceUpdate = z.extend(ServiceSettings, {
  /** The settings that were edited; when they are others by now, nothing is changed. Left out: whatever they are. */
  settingsVersion: z.optional(z.number({ error: 'NotANumber' })),
});
export const serviceUpdate = route({
  id: 'serviceUpdate',
  method: 'PUT',
  path: one,
  summary: 'Change the settings: a pipeline applies them',
  tag,
  access: 'appMember',
  query: DryRunQuery,
  body: ServiceUpdate,
  fieldLabel,
  bodyLimitKilobytes,
  response: PlanOrRun,
  status: 202,
  codes: [...oneCodes, ...settingsCodes, 'ServiceNotCreated', 'DeployPipelineAlreadyRunning', 'SettingsChangedMeanwhile', 'NothingChanged'],
});

export const ServiceRollback = z.object({
  revision: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' })),
  reason: RequiredText,
});
export const serviceRollback = route({
  id: 'serviceRollback',
  method: 'POST',
  path: `${one}/rollbacks`,
  summary: "A new revision from an earlier one's image, settings and secret versions; the settings of the service become those, too",
  tag,
  access: 'appMember',
  query: DryRunQuery,
  body: ServiceRollback,
  response: PlanOrRun,
  status: 202,
  codes: [
    ...oneCodes,
    'Required',
    'InvalidValue',
    'ExceedsMaximumLength',
    'RevisionDoesNotExist',
    'RollbackToServing',
    'RollbackImageGone',
    'RollbackSecretGone',
    'ServiceNotCreated',
    'ServiceInactive',
    'DeployPipelineAlreadyRunning',
    'SecretVolumeNotReferenced',
    'SecretKeyNotReferenced',
    'DomainInUse',
    'DomainReserved',
    'BasePathFixed',
    'ApiProxyNeedsJwt',
    'SignInNeedsNetworks',
    'ReservedMountPath',
    'SystemMountPath',
    'PrivateHost',
    'NotAPath',
    'NotOnThisEngine',
  ],
});

/** What `all` does not carry: it belongs to the service that has it. Named one by one they are carried, as far as the rules allow. */
export const carriedOnDemand: readonly string[] = ['githubRepositoryName', 'active', 'spec.externalTraffic.domain'];
export const ServiceCopy = z.object({
  environment: Environment,
  name: ServiceName,
  /** Paths of changes, as the dry run names them; `all` carries everything but `carriedOnDemand`. What is not carried keeps the target's, or a new service's, value. */
  carry: z._default(z.union([z.literal('all'), z.array(z.string()).check(z.maxLength(1000))]), 'all'),
  /** Deployed when the settings are there; null: nothing is deployed. */
  imageTag: z._default(z.nullable(ImageTag), null),
  /** Changes a service that is there already; without it the name must be free. */
  overwrite: z._default(z.boolean(), false),
});
export const serviceCopy = route({
  id: 'serviceCopy',
  method: 'POST',
  path: `${one}/copies`,
  summary: 'Copy to another environment or name; the dry run compares, change by change',
  tag,
  access: 'appMember',
  query: DryRunQuery,
  body: ServiceCopy,
  response: PlanOrRun,
  status: 202,
  codes: [
    ...oneCodes,
    ...settingsCodes,
    'KebabCase',
    'MinimumLength',
    'InvalidName',
    'ServiceNameMustStartWithApplicationName',
    'ServiceAlreadyExists',
    'CopyOntoItself',
    'ImageTagDoesNotExist',
    'ServiceNotCreated',
    'ServiceInactive',
    'ApplicationNotCreated',
    'SettingsChangedMeanwhile',
    'DeployPipelineAlreadyRunning',
    'NothingChanged',
  ],
});

export const serviceYamlView = route({
  id: 'serviceYamlView',
  method: 'GET',
  path: `${one}/service.yaml`,
  summary: 'The settings as a file to keep under version control',
  tag,
  access: 'appMember',
  stream: 'text',
  mediaTypes: ['application/yaml'],
  codes: oneCodes,
});
/** A settings file of a few hundred variables; longer values belong into secret groups. */
export const maxYamlLength = 65_536;
/** Sent as `application/yaml` the file alone is the body. */
export const ServiceYaml = z.object({
  yaml: z.string({ error: 'Required' }).check(z.maxLength(maxYamlLength, { error: 'ExceedsMaximumLength' })),
});
export const serviceYamlUpdate = route({
  id: 'serviceYamlUpdate',
  method: 'PUT',
  path: `${one}/service.yaml`,
  summary: 'Change the settings to what the file says; fields that it leaves out stay as they are',
  tag,
  access: 'appMember',
  query: DryRunQuery,
  body: ServiceYaml,
  bodyMediaType: 'application/yaml',
  // The file as JSON escapes it.
  bodyLimitKilobytes: 192,
  response: PlanOrRun,
  status: 202,
  codes: [
    ...oneCodes,
    ...settingsCodes,
    'YamlInvalid',
    'YamlUnknownField',
    'YamlOtherService',
    'ServiceNotCreated',
    'DeployPipelineAlreadyRunning',
    'SettingsChangedMeanwhile',
    'NothingChanged',
  ],
});

export const ServiceRepository = z.object({
  githubRepositoryName: z.nullable(RepositoryName),
  /** Builds the newest commit at once; otherwise the next push does. */
  buildNow: z.optional(z.boolean()),
});
export const serviceRepositorySet = route({
  id: 'serviceRepositorySet',
  method: 'PUT',
  path: `${one}/repository`,
  summary: 'Connect to a repository, or disconnect with null',
  tag,
  access: 'appMember',
  query: DryRunQuery,
  body: ServiceRepository,
  fieldLabel,
  response: PlanOrRun,
  status: 202,
  codes: [
    ...oneCodes,
    'Required',
    'InvalidValue',
    'RepositoryNameOnly',
    'ChooseExistingRepository',
    'NothingChanged',
    'ServiceNotCreated',
    'ServiceInactive',
    'DeployPipelineAlreadyRunning',
  ],
});
export const Repository = z.object({
  name: z.string(),
  cloneUrl: z.string(),
  defaultBranch: z.string(),
  headCommit: z.nullable(z.string()),
  services: z.array(z.string()),
});
export const repositoryList = route({
  id: 'repositoryList',
  method: 'GET',
  path: '/api/v1/apps/{app}/repositories',
  summary: "The app's source repositories and the services that are built from each",
  tag,
  access: 'appMember',
  response: z.array(Repository),
  codes: ['ApplicationDoesNotExists', 'NotAMember'],
});

/** What a service's secrets and the engine allow, for the settings screen: what the rules need beside the settings. */
export const ServiceSettingsView = z.extend(ServiceSettings, {
  settingsVersion: z.number(),
  /** Groups that the service reads, with their keys; what variables and volumes may refer to. */
  secretGroups: z.array(z.object({ name: z.string(), keys: z.array(z.string()) })),
  /** Where image names may point to: `{host}/{app}/`. */
  imagePrefix: z.string(),
  /** As last applied by a pipeline: of an API proxy it cannot change any more. */
  appliedBasePath: z.nullable(z.string()),
  /** What this engine does with fields that not every engine has. */
  engine: z.object({
    limits: z.enum(['enforced', 'observed']),
    spot: z.nullable(z.string()),
    hasVaultProxy: z.boolean(),
    /** Whether instances are kept apart by network; where they are not, no service may ask for a sign-in. */
    isNetworkIsolated: z.boolean(),
    /** Private hosts that an administrator lets services list. */
    insideHosts: z.array(z.string()),
    /** The warning of the runtime's tier. */
    warning: z.nullable(z.string()),
  }),
  /** True, or the code that says why the settings cannot be edited now; with the pipeline that is applying. */
  canEdit: z.union([z.literal(true), z.string()]),
  pipelineId: z.nullable(z.string()),
});
export type ServiceSettingsView = z.infer<typeof ServiceSettingsView>;
export const serviceSettingsView = route({
  id: 'serviceSettingsView',
  method: 'GET',
  path: `${one}/settings`,
  summary: 'Everything the settings screen needs',
  tag,
  access: 'appMember',
  response: ServiceSettingsView,
  codes: oneCodes,
});
