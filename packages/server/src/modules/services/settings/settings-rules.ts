/** Server-side rules of a service's settings: the rules that the browser also checks, and those that query rows or engines. */
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { isImageName, serviceSettingsErrors } from '@slipway/contract/service/service-rules.ts';
import { settingsFields, type ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { runtimeCapabilities } from '#modules/runtime/index.ts';
import type { Registry } from '#ports/registry.ts';
import type { RuntimeCapabilities } from '#ports/runtime.ts';
import type { SourceHost } from '#ports/source.ts';
import { imageRepository, imageRepositoryOf } from '../image-repository.ts';
import { addressErrors, appliedBasePath, secretKeysOf, settingsOf, type SettingsRow } from './settings.sql.ts';
import type { ServiceKey, ServiceLinks } from '../services.sql.ts';
import { tagMatcher } from '../repository/tag-matcher.ts';

export interface RuleDeps {
  readonly registry: Registry;
  readonly source: SourceHost;
  readonly links: ServiceLinks;
}
/** No embedded engine has a vault proxy. */
export const hasVaultProxy = false;
/**
 * Returns the required prefix of image names. Replicas know the registry by different addresses, and an installation may move to another
 * port, so a stored address stays valid: only the repository matters.
 */
export const imagePrefixOf = (
  { registry }: Pick<RuleDeps, 'registry'>,
  { app }: ServiceKey,
  stored?: Pick<ServiceSpec, 'containerImageName'>,
): string => {
  const [host = '', project] = stored?.containerImageName.split('/') ?? [];
  return project === app ? `${host}/${app}/` : `${registry.host}/${app}/`;
};
/** Assumes isolation if no holder drives the runtime. The edge finds out later, and does not serve services that it cannot protect. */
export const isApart = (runtime: Pick<RuntimeCapabilities, 'isNetworkIsolated'> | undefined): boolean => runtime?.isNetworkIsolated ?? true;

const prefixFor = (
  deps: Pick<RuleDeps, 'registry'>,
  key: ServiceKey,
  { spec }: ServiceSettings,
  stored: ServiceSpec | undefined,
): string => {
  const prefix = imagePrefixOf(deps, key);
  return spec.containerImageName.startsWith(prefix) ? prefix : imagePrefixOf(deps, key, stored);
};

/** Returns whether the image belongs to the app. Other images are not looked up, since the answer would reveal another app's data. */
export const isOwnImage = (
  deps: Pick<RuleDeps, 'registry'>,
  key: ServiceKey,
  settings: ServiceSettings,
  stored: ServiceSpec | undefined,
): boolean => isImageName(settings.spec.containerImageName, prefixFor(deps, key, settings, stored));

/** `service`: undefined for a new service. `secretGroups`: groups that the service will read. Defaults to the groups that it reads now. */
export const rowErrors = async (
  db: Db,
  deps: Pick<RuleDeps, 'registry' | 'links'>,
  key: ServiceKey,
  {
    settings,
    service,
    secretGroups,
  }: { settings: ServiceSettings; service: SettingsRow | undefined; secretGroups?: ReadonlyMap<string, readonly string[]> | undefined },
): Promise<FieldError[]> => {
  const capabilities = await runtimeCapabilities(db);
  return [
    ...serviceSettingsErrors(settings, {
      imagePrefix: prefixFor(deps, key, settings, service && settingsOf(service).spec),
      secretGroups: secretGroups ?? (service ? await secretKeysOf(db, key) : new Map()),
      appliedBasePath: service ? appliedBasePath(service) : null,
      hasVaultProxy,
      isNetworkIsolated: isApart(capabilities),
      insideHosts: capabilities?.insideHosts ?? [],
    }),
    ...(await addressErrors(db, deps.links, key, settings.spec)),
  ];
};

export interface EngineFindings {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly PlanNote[];
}
const pattern = 'spec.imageUpdatePolicy.regex.pattern';

/** Validates with registry and source host, so it must not run inside a transaction. Skips values equal to `before`. */
export const askEngines = async (
  deps: RuleDeps,
  key: ServiceKey,
  settings: ServiceSettings,
  before: ServiceSettings | undefined,
): Promise<EngineFindings> => {
  const policy = await policyFindings(deps, settings, before, isOwnImage(deps, key, settings, before?.spec));
  return {
    errors: [
      ...(await repositoryErrors(deps, key, settings, before)),
      ...(await imageErrors(deps, key, settings, before)),
      ...policy.errors,
    ],
    warnings: policy.warnings,
  };
};

const repositoryErrors = async (
  { source }: RuleDeps,
  { app }: ServiceKey,
  { githubRepositoryName: name }: ServiceSettings,
  before: ServiceSettings | undefined,
): Promise<FieldError[]> => {
  if (name === null || name === before?.githubRepositoryName) return [];
  if (await source.repository({ owner: app, name })) return [];
  return [{ field: 'githubRepositoryName', code: 'ChooseExistingRepository', context: { label: 'GitHub repository' } }];
};

/** A service's own image may arrive later, with its first push. Any other image must exist, otherwise it is a typo. */
const imageErrors = async (
  deps: RuleDeps,
  key: ServiceKey,
  settings: ServiceSettings,
  before: ServiceSettings | undefined,
): Promise<FieldError[]> => {
  const { spec } = settings;
  const name = spec.containerImageName;
  if (!isOwnImage(deps, key, settings, before?.spec) || name === before?.spec.containerImageName) return [];
  const repository = imageRepositoryOf(spec);
  if (repository === imageRepository(key)) return [];
  const known = await deps.registry.repositories(key.app);
  if (known.some((one) => one.repository === repository)) return [];
  const context = { label: 'Container image', value: name };
  return [{ field: 'spec.containerImageName', code: 'HARBOR_REPOSITORY_ADDRESS_IS_WRONG_OR_IT_DOES_NOT_EXIST', context }];
};

const policyFindings = async (
  { registry }: RuleDeps,
  { spec }: ServiceSettings,
  before: ServiceSettings | undefined,
  isOwn: boolean,
): Promise<EngineFindings> => {
  const { type, regex } = spec.imageUpdatePolicy;
  const isSame = JSON.stringify(before?.spec.imageUpdatePolicy) === JSON.stringify({ type, regex: { pattern: regex.pattern } });
  if (type !== 'REGEX' || regex.pattern === '' || isSame) return { errors: [], warnings: [] };
  try {
    const isMatch = tagMatcher(regex.pattern, pattern);
    if (!isOwn) return { errors: [], warnings: [] };
    const repository = imageRepositoryOf(spec);
    const matching = (await registry.tags(repository)).flatMap(({ tags }) => tags.filter((tag) => isMatch(tag)));
    const [tag] = matching;
    const found = tag === undefined ? note('PatternMatchesNothing', { repository }, pattern) : note('PatternDeploys', { tag }, pattern);
    return { errors: [], warnings: [found] };
  } catch (error) {
    if (error instanceof Problem) return { errors: error.errors, warnings: [] };
    throw error;
  }
};

const order = Object.keys(settingsFields);
const rankOf = ({ field = '' }: FieldError): number => order.findIndex((known) => field === known || field.startsWith(`${known}.`));

/** Throws all errors as one Problem, without duplicates, in the order of the screen. Does nothing if there are none. */
export const throwFieldErrors = (...lists: readonly (readonly FieldError[])[]): void => {
  const seen = new Set<string>();
  const errors = lists.flat().filter(({ field = '', code }) => {
    const print = `${field} ${code}`;
    return !seen.has(print) && seen.add(print);
  });
  if (errors.length > 0) throw Problem.fields(errors.toSorted((a, b) => rankOf(a) - rankOf(b)));
};
