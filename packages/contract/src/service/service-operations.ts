/** Operations that change a service as a whole: create, update, roll back, copy, import from YAML, connect to a repository. */
import * as z from 'zod/mini';
import { Environment, ImageTag, RepositoryName, RequiredText, ServiceName, numberCodes } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { startsRun } from '../pipeline/plan.ts';
import { ServiceSettings, settingsFieldOf } from './service-settings.ts';
import { ServiceSpec } from './service-spec.ts';

const tag = 'Services';
const services = '/api/v1/apps/{app}/{env}/services';
const one = `${services}/{service}`;
const appCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'NotAMember'] as const;
const oneCodes = [...appCodes, 'ServiceDoesNotExist'] as const;
/** All field codes of `service-rules.ts` and the schemas. */
export const settingsCodes = [
  ...numberCodes,
  'Required',
  'InvalidValue',
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

/** Several fields have the same name; the labels of the settings tell them apart. */
const fieldLabel = (field: string): string | undefined => settingsFieldOf(field)?.label;
/** Fits five hundred variables of typical length, but not all at maximum length. */
const bodyLimitKilobytes = 1024;

export const ServiceCreate = z.object({
  name: ServiceName,
  githubRepositoryName: z._default(z.nullable(RepositoryName), null),
  /** Defaults to a new service's settings with its own image `{registry}/{app}/{name}`. */
  spec: z.optional(ServiceSpec),
});
const route = routesIn({ tag, access: 'appMember' });
export const serviceCreate = route('serviceCreate', `POST ${services}`, {
  ...startsRun,
  summary: 'Make a blank service; nothing runs before its first pipeline',
  body: ServiceCreate,
  aliases: { 'metadata.name': 'name' },
  fieldLabel,
  bodyLimitKilobytes,
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
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
  /** Version of the edited settings. If it is outdated, the server rejects the update. Omitted: no check. */
  settingsVersion: z.optional(z.number({ error: 'NotANumber' })),
});
export const serviceUpdate = route('serviceUpdate', `PUT ${one}`, {
  ...startsRun,
  summary: 'Change the settings: a pipeline applies them',
  description: 'A setting that the body leaves out keeps its value. With an outdated `settingsVersion` the server refuses the change.',
  body: ServiceUpdate,
  fieldLabel,
  bodyLimitKilobytes,
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
    ...oneCodes,
    ...settingsCodes,
    'ServiceNotCreated',
    'SettingsUnreadable',
    'DeployPipelineAlreadyRunning',
    'SettingsChangedMeanwhile',
    'NothingChanged',
  ],
});

export const ServiceRollback = z.object({
  revision: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' })),
  reason: RequiredText,
});
export const serviceRollback = route('serviceRollback', `POST ${one}/rollbacks`, {
  ...startsRun,
  summary: "A new revision from an earlier one's image, settings and secret versions; the settings of the service become those, too",
  body: ServiceRollback,
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
    'SettingsUnreadable',
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

/** Excluded from `all`, because these belong to the target service. Naming their paths copies them, as far as the rules allow. */
export const carriedOnDemand: readonly string[] = ['githubRepositoryName', 'active', 'spec.externalTraffic.domain'];
export const ServiceCopy = z.object({
  environment: Environment,
  name: ServiceName,
  /**
   * Paths of changes, as the dry run names them; `all` copies everything but `carriedOnDemand`. Other settings keep the target's value, or
   * a new service's default.
   */
  carry: z._default(z.union([z.literal('all'), z.array(z.string()).check(z.maxLength(1000))]), 'all'),
  /** Image tag to deploy after the settings are copied. Null: no deploy. */
  imageTag: z._default(z.nullable(ImageTag), null),
  /** Allows changing an existing service. Otherwise the name must be free. */
  overwrite: z._default(z.boolean(), false),
});
export const serviceCopy = route('serviceCopy', `POST ${one}/copies`, {
  ...startsRun,
  summary: 'Copy to another environment or name; the dry run compares, change by change',
  body: ServiceCopy,
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
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
    'SettingsUnreadable',
    'ServiceInactive',
    'ApplicationNotCreated',
    'SettingsChangedMeanwhile',
    'DeployPipelineAlreadyRunning',
    'NothingChanged',
  ],
});

export const serviceYamlView = route('serviceYamlView', `GET ${one}/service.yaml`, {
  summary: 'The settings as a file to keep under version control',
  stream: 'text',
  mediaTypes: ['application/yaml'],
  codes: oneCodes,
});
/** Fits a settings file of a few hundred variables. Longer values belong in secret groups. */
export const maxYamlLength = 65_536;
/** With `application/yaml` the body is the file itself. */
export const ServiceYaml = z.object({
  yaml: z.string({ error: 'Required' }).check(z.maxLength(maxYamlLength, { error: 'ExceedsMaximumLength' })),
});
export const serviceYamlUpdate = route('serviceYamlUpdate', `PUT ${one}/service.yaml`, {
  ...startsRun,
  summary: 'Change the settings to what the file says; fields that it leaves out stay as they are',
  body: ServiceYaml,
  bodyMediaType: 'application/yaml',
  // The file with JSON escaping.
  bodyLimitKilobytes: 192,
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
    ...oneCodes,
    ...settingsCodes,
    'YamlInvalid',
    'YamlUnknownField',
    'YamlOtherService',
    'ServiceNotCreated',
    'SettingsUnreadable',
    'DeployPipelineAlreadyRunning',
    'SettingsChangedMeanwhile',
    'NothingChanged',
  ],
});

export const ServiceRepository = z.object({
  githubRepositoryName: z.nullable(RepositoryName),
  /** Builds the newest commit now. By default the next push builds. */
  buildNow: z.optional(z.boolean()),
});
export const serviceRepositorySet = route('serviceRepositorySet', `PUT ${one}/repository`, {
  ...startsRun,
  summary: 'Connect to a repository, or disconnect with null',
  body: ServiceRepository,
  fieldLabel,
  codes: [
    'ApprovalRequired',
    'ProductionFrozen',
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
export const repositoryList = route('repositoryList', 'GET /api/v1/apps/{app}/repositories', {
  summary: "The app's source repositories and the services that are built from each",
  response: z.array(Repository),
  codes: ['ApplicationDoesNotExists', 'NotAMember'],
});

/** The settings and everything else that the rules need for the settings screen: the service's secrets and the engine's capabilities. */
export const ServiceSettingsView = z.extend(ServiceSettings, {
  settingsVersion: z.number(),
  /** Groups that the service reads, with their keys. Variables and volumes may refer to them. */
  secretGroups: z.array(z.object({ name: z.string(), keys: z.array(z.string()) })),
  /** Required prefix of image names: `{host}/{app}/`. */
  imagePrefix: z.string(),
  /** Last applied value. The base path of an API proxy is immutable from then on. */
  appliedBasePath: z.nullable(z.string()),
  /** Support of optional settings by this engine. */
  engine: z.object({
    limits: z.enum(['enforced', 'observed']),
    spot: z.nullable(z.string()),
    hasVaultProxy: z.boolean(),
    /** True if instances are isolated from each other by network. Otherwise no service may require authentication. */
    isNetworkIsolated: z.boolean(),
    /** Private hosts that an administrator has allowed for services. */
    insideHosts: z.array(z.string()),
    /** Warning about the runtime's tier. */
    warning: z.nullable(z.string()),
  }),
  /** True, or the code that says why the settings cannot be edited now. `pipelineId` is the pipeline that is applying them. */
  canEdit: z.union([z.literal(true), z.string()]),
  pipelineId: z.nullable(z.string()),
});
export type ServiceSettingsView = z.infer<typeof ServiceSettingsView>;
export const serviceSettingsView = route('serviceSettingsView', `GET ${one}/settings`, {
  summary: 'Everything the settings screen needs',
  response: ServiceSettingsView,
  codes: oneCodes,
});
