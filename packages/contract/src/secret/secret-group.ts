/**
 * Secret groups: named sets of keys whose values only the attached services read. Every change creates a version; a revision pins the
 * versions it reads (core §3, §4, §6; decisions §2, §4). No answer except `secretReveal` contains a value.
 */
import * as z from 'zod/mini';
import {
  Can,
  Environment,
  Instant,
  isKept,
  PageQuery,
  RequiredText,
  pageCodes,
  pageOf,
  reservedNames,
  nameCodes,
  numberCodes,
} from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { synchronous, resource } from '../resource.ts';
import { PipelineRun } from '../pipeline/pipeline.ts';
import { secretGroupKind } from '../kinds/secret-group.kind.ts';
import { SecretEntry, SecretKey, maxSecretKeys, secretEntriesCheck } from './secret-entry.ts';

export const SecretGroupName = z.string({ error: 'Required' }).check(
  z.trim(),
  z.minLength(1, { error: 'Required', abort: true }),
  z.regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, { error: 'KebabCase' }),
  z.minLength(3, { error: 'MinimumLength' }),
  z.maxLength(63, { error: 'ExceedsMaximumLength' }),
  z.refine<string>((value) => !reservedNames.has(value), { error: 'InvalidName' }),
);
/** The last day on which a key may be used: `YYYY-MM-DD`. */
export const ExpiryDate = z.string().check(
  z.regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, { error: 'DoesNotMatchPattern', abort: true }),
  z.refine((value) => isKept(value) && new Date(`${value}T00:00:00Z`).toISOString().startsWith(value), { error: 'InvalidValue' }),
);
/** Number of days before its expiry from which a key is shown as expiring soon. */
export const expirySoonDays = 14;
/** Numbers of days before an expiry at which the team is notified. */
export const expiryWarningDays = [expirySoonDays, 3, 1] as const;
export const expiryStates = ['NONE', 'LATER', 'SOON', 'EXPIRED'] as const;
export type ExpiryState = (typeof expiryStates)[number];
/** A key is valid until the end of its day, UTC. */
export const expiryOf = (expiresAt: string | null, now: Date): ExpiryState => {
  if (expiresAt === null) return 'NONE';
  const daysLeft = (Date.parse(`${expiresAt}T00:00:00Z`) + 86_400_000 - now.getTime()) / 86_400_000;
  if (daysLeft <= 0) return 'EXPIRED';
  return daysLeft <= expirySoonDays ? 'SOON' : 'LATER';
};

/** PostgreSQL's largest integer. */
const maxVersion = 2_147_483_647;
const VersionNumber = z.number({ error: 'NotANumber' }).check(z.int(), z.minimum(1), z.maximum(maxVersion));

const Person = z.object({ id: z.string(), displayName: z.string() });
export const SecretGroupKey = z.object({
  key: z.string(),
  sizeBytes: z.number(),
  expiresAt: z.nullable(z.string()),
  expiry: z.enum(expiryStates),
  /** True if no attached service reads this key. */
  isUnused: z.boolean(),
});
export const SecretGroupService = z.object({
  service: z.string(),
  exposeAsEnvironment: z.boolean(),
  /** True if attached by the group's `autoAttach`; cannot be detached. */
  isAutoAttached: z.boolean(),
  /** The version that the serving revision reads. Null if no revision serves, or if it predates the attachment. */
  runsVersion: z.nullable(z.number()),
  /** True if the service runs with a version other than the group's current one. */
  needsRestart: z.boolean(),
});
export const SecretGroup = z.object({
  name: z.string(),
  app: z.string(),
  environment: Environment,
  /** PLATFORM: managed by the platform, read-only except for internal service accounts. */
  kind: z.enum(['USER', 'PLATFORM']),
  /** Every service of the environment reads the group, including future ones. */
  autoAttach: z.boolean(),
  /** The newest version, which the next revision reads. */
  version: z.number(),
  versionCount: z.number(),
  /** Keys of the newest version, sorted by name. */
  keys: z.array(SecretGroupKey),
  services: z.array(SecretGroupService),
  createdAt: Instant,
  createdBy: Person,
  updatedAt: Instant,
  /** Verbs: update, versionCreate, delete, copy, reveal, restart. */
  can: Can,
});
export type SecretGroup = z.infer<typeof SecretGroup>;

export const SecretVersion = z.object({
  version: z.number(),
  isCurrent: z.boolean(),
  keys: z.array(z.string()),
  /** Origin of the version. `from` is the restored version, or `{environment}/{group}@{version}` for a copy. */
  origin: z.enum(['CREATED', 'RESTORED', 'COPIED']),
  from: z.nullable(z.string()),
  createdAt: Instant,
  createdBy: Person,
  /** Existing revisions that read it. */
  revisions: z.array(z.string()),
  /** Verbs: delete, restore. */
  can: Can,
});
export type SecretVersion = z.infer<typeof SecretVersion>;

export const secretChanges = ['ADDED', 'REMOVED', 'CHANGED', 'SAME'] as const;
/** Changes from `with` to `version`, by key. Values are compared by keyed hash and never shown. */
export const SecretVersionComparison = z.object({
  version: z.number(),
  with: z.number(),
  keys: z.array(z.object({ key: z.string(), change: z.enum(secretChanges) })),
});
export const environmentStates = ['SAME', 'DIFFERENT', 'ONLY_DEVELOPMENT', 'ONLY_PRODUCTION'] as const;
export const SecretEnvironmentComparison = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      /** The newest version in this environment. Null if it has no such group. */
      development: z.nullable(z.number()),
      production: z.nullable(z.number()),
      keys: z.array(z.object({ key: z.string(), state: z.enum(environmentStates) })),
    }),
  ),
});
export type SecretEnvironmentComparison = z.infer<typeof SecretEnvironmentComparison>;

export const ServiceSecretGroup = z.object({
  group: z.string(),
  kind: z.enum(['USER', 'PLATFORM']),
  isAutoAttached: z.boolean(),
  exposeAsEnvironment: z.boolean(),
  keys: z.array(z.string()),
  /** `version`: read by the next revision. `runsVersion`: read by the serving revision. */
  version: z.number(),
  runsVersion: z.nullable(z.number()),
  needsRestart: z.boolean(),
  /** Verbs: update, detach. */
  can: Can,
});
export type ServiceSecretGroup = z.infer<typeof ServiceSecretGroup>;

export const SecretGroupCreate = z.object({
  name: SecretGroupName,
  entries: z.array(SecretEntry).check(z.minLength(1, { error: 'Required' }), ...secretEntriesCheck),
  autoAttach: z._default(z.boolean(), false),
  /** PLATFORM is for internal service accounts only. */
  kind: z._default(z.enum(['USER', 'PLATFORM']), 'USER'),
});
export const SecretVersionCreate = z.object({
  /** The version that the change is based on. The server rejects the change if a newer version exists. */
  basedOn: VersionNumber,
  /** New keys, and new values of existing keys. */
  entries: z.array(SecretEntry).check(...secretEntriesCheck),
  remove: z._default(z.array(SecretKey).check(z.maxLength(maxSecretKeys, { error: 'TooManySecretKeys' })), []),
  /** Drops all other keys of the previous version. By default they are kept. */
  isReplacement: z._default(z.boolean(), false),
});
export const SecretReveal = z.object({
  key: SecretKey,
  version: VersionNumber,
  /** Reason in at least ten characters, recorded in the activity log. */
  reason: RequiredText.check(z.minLength(10, { error: 'MinimumLength' })),
});
export const SecretGroupCopy = z.object({ environment: Environment, name: SecretGroupName });

/** Restricts changes of a group to its team, or for platform groups to internal service accounts (core §6). */
export const secretGroupManageRule = (
  group: Pick<SecretGroup, 'kind'>,
  isInternalServiceAccount: boolean,
): true | 'ManageInternalSecretGroups' => (group.kind === 'PLATFORM' && !isInternalServiceAccount ? 'ManageInternalSecretGroups' : true);
/** `isInUse`: a service is attached, or an existing revision reads one of its versions. */
export const secretGroupDeleteRule = ({ isInUse }: { isInUse: boolean }): true | 'SecretIsReferencedInAtLeastOneStack' =>
  isInUse ? 'SecretIsReferencedInAtLeastOneStack' : true;
export const secretVersionDeleteRule = (facts: {
  readonly versionCount: number;
  readonly revisions: readonly string[];
}): true | 'LastSecretVersion' | 'SecretIsReferencedInAtLeastOneStack' => {
  if (facts.versionCount <= 1) return 'LastSecretVersion';
  return facts.revisions.length > 0 ? 'SecretIsReferencedInAtLeastOneStack' : true;
};
export const secretDetachRule = (attachment: Pick<ServiceSecretGroup, 'isAutoAttached'>): true | 'CannotRemoveAutoAttachSecretGroups' =>
  attachment.isAutoAttached ? 'CannotRemoveAutoAttachSecretGroups' : true;
/** Only members may reveal values, not even administrators (decisions §2), and never the environment's token (decisions §9). */
export const secretRevealRule = (reader: {
  readonly isAutomation: boolean;
  readonly isMember: boolean;
}): true | 'AutomationCannotReveal' | 'NotAMember' => {
  if (reader.isAutomation) return 'AutomationCannotReveal';
  return reader.isMember ? true : 'NotAMember';
};

const tag = 'Secret groups';
const base = '/api/v1/apps/{app}/{env}/secret-groups';
const one = `${base}/{group}` as const;
const access = 'appMemberHidden';
const listCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const oneCodes = [...listCodes, 'SecretGroupDoesNotExist'] as const;
const entryCodes = [
  'InvalidSecretKey',
  'DuplicateSecretKey',
  'SecretValueTooLarge',
  'SecretVersionTooLarge',
  'TooManySecretKeys',
  'DoesNotMatchPattern',
] as const;
const formNumberCodes = [...numberCodes, 'Required', 'InvalidValue'] as const;
/** Fits values of 1 MiB with worst-case JSON escaping. */
const bodyLimitKilobytes = 8 * 1024;

const made = resource({
  kind: secretGroupKind,
  path: base,
  name: 'group',
  view: SecretGroup,
  create: SecretGroupCreate,
  update: z.object({ autoAttach: z.boolean({ error: 'Required' }) }),
  query: PageQuery,
  access: { read: access, create: access, write: access },
  codes: {
    above: listCodes,
    missing: 'SecretGroupDoesNotExist',
    taken: 'SecretGroupAlreadyExists',
    form: [...nameCodes, ...entryCodes, 'ManageInternalSecretGroups'],
    kept: ['ManageInternalSecretGroups', 'SecretIsReferencedInAtLeastOneStack'],
  },
  summaries: {
    list: 'Secret groups of an environment, by name; key names only',
    view: 'One secret group with its keys and services',
    create: 'Create a secret group with its first version',
    update: 'Attach to every service of the environment, or no longer',
    remove: 'Delete a group that nothing reads, with all its versions',
  },
});
export const secretGroupResource = {
  ...made,
  create: { ...synchronous(made.create, SecretGroup), isSecret: true, bodyLimitKilobytes },
  update: { ...synchronous(made.update, SecretGroup), codes: [...oneCodes, 'Required', 'ManageInternalSecretGroups'] },
  remove: synchronous(made.remove),
} as const;
export const {
  list: secretGroupList,
  view: secretGroupView,
  create: secretGroupCreate,
  update: secretGroupUpdate,
  remove: secretGroupDelete,
} = secretGroupResource;
const route = routesIn({ tag, access });
export const secretVersionList = route('secretVersionList', `GET ${one}/versions`, {
  summary: 'Versions, newest first; key names only',
  query: PageQuery,
  response: pageOf(SecretVersion),
  codes: [...oneCodes, ...pageCodes],
});
export const secretVersionCreate = route('secretVersionCreate', `POST ${one}/versions`, {
  summary: 'Set and remove keys as a new version',
  body: SecretVersionCreate,
  response: SecretGroup,
  status: 201,
  isSecret: true,
  bodyLimitKilobytes,
  codes: [...oneCodes, ...formNumberCodes, ...entryCodes, 'ManageInternalSecretGroups', 'SecretVersionConflict', 'SecretUnreadable'],
});
export const secretVersionDelete = route('secretVersionDelete', `DELETE ${one}/versions/{version}`, {
  summary: 'Delete a version that no revision reads, but never the last one',
  codes: [
    ...oneCodes,
    'SecretVersionDoesNotExist',
    'ManageInternalSecretGroups',
    'LastSecretVersion',
    'SecretIsReferencedInAtLeastOneStack',
  ],
});
export const secretVersionRestore = route('secretVersionRestore', `POST ${one}/versions/{version}/restorations`, {
  summary: 'Make the values of this version the newest one',
  response: SecretGroup,
  status: 201,
  isSecret: 'answer',
  codes: [...oneCodes, 'SecretVersionDoesNotExist', 'ManageInternalSecretGroups', 'SecretUnreadable'],
});
export const secretVersionCompare = route('secretVersionCompare', `GET ${one}/comparison`, {
  summary: 'What changed between two versions, by key',
  query: z.object({
    with: z.coerce.number({ error: 'NotANumber' }).check(z.int(), z.minimum(1), z.maximum(maxVersion)),
    /** Defaults to the newest version. */
    version: z.optional(z.coerce.number({ error: 'NotANumber' }).check(z.int(), z.minimum(1), z.maximum(maxVersion))),
  }),
  response: SecretVersionComparison,
  codes: [...oneCodes, ...formNumberCodes, 'SecretVersionDoesNotExist'],
});
export const secretEnvironmentCompare = route('secretEnvironmentCompare', 'GET /api/v1/apps/{app}/secret-group-comparison', {
  summary: 'Development and production side by side: keys present, missing, same or different',
  response: SecretEnvironmentComparison,
  codes: ['ApplicationDoesNotExists'],
});
export const secretGroupCopy = route('secretGroupCopy', `POST ${one}/copies`, {
  summary: 'Copy the newest version to another environment or name',
  body: SecretGroupCopy,
  response: SecretGroup,
  status: 201,
  isSecret: 'answer',
  codes: [...oneCodes, ...nameCodes, 'SecretGroupAlreadyExists', 'SecretUnreadable'],
});
export const secretReveal = route('secretReveal', `POST ${one}/reveal`, {
  summary: 'Read one value; who and why stands in the activity log',
  body: SecretReveal,
  response: z.object({ key: z.string(), version: z.number(), value: z.string() }),
  isSecret: true,
  codes: [
    ...oneCodes,
    ...formNumberCodes,
    'MinimumLength',
    'ExceedsMaximumLength',
    'InvalidSecretKey',
    'SecretVersionDoesNotExist',
    'SecretKeyDoesNotExist',
    'AutomationCannotReveal',
    'NotAMember',
    'SecretUnreadable',
  ],
});
export const secretKeyExpiry = route('secretKeyExpiry', `PUT ${one}/keys/{key}/expiry`, {
  summary: 'Remind of a key that ends on a day, or no longer; makes no version',
  body: z.object({ expiresAt: z.nullable(ExpiryDate) }),
  response: SecretGroup,
  codes: [...oneCodes, 'Required', 'DoesNotMatchPattern', 'InvalidValue', 'SecretKeyDoesNotExist', 'ManageInternalSecretGroups'],
});
export const secretGroupRestart = route('secretGroupRestart', `POST ${one}/restarts`, {
  summary: 'Deploy the current image anew for services that run an older version',
  /** Defaults to all services that need a restart. */
  body: z.object({ services: z.optional(z.array(z.string()).check(z.maxLength(200, { error: 'ExceedsMaximumLength' }))) }),
  response: z.object({
    pipelines: z.array(PipelineRun),
    /** Services that cannot restart now (for example, a pipeline is running), each with the reason's code. */
    refused: z.array(z.object({ service: z.string(), code: z.string() })),
  }),
  status: 202,
  codes: [...oneCodes, 'ExceedsMaximumLength', 'InvalidValue', 'NothingToRestart'],
});

const services = '/api/v1/apps/{app}/{env}/services/{service}/secret-groups';
const serviceCodes = [...listCodes, 'ServiceDoesNotExist'] as const;
export const serviceSecretGroupList = route('serviceSecretGroupList', `GET ${services}`, {
  summary: 'Secret groups that a service reads',
  response: z.array(ServiceSecretGroup),
  codes: serviceCodes,
});
export const serviceSecretGroupAttach = route('serviceSecretGroupAttach', `PUT ${services}/{group}`, {
  summary: 'Attach a group, or change how it is read; takes effect with the next revision',
  body: z.object({
    /** Exposes every key as an environment variable of the same name. True by default when the group is attached. */
    exposeAsEnvironment: z.optional(z.boolean()),
  }),
  response: ServiceSecretGroup,
  codes: [...serviceCodes, 'SecretGroupDoesNotExist', 'InvalidValue'],
});
export const serviceSecretGroupDetach = route('serviceSecretGroupDetach', `DELETE ${services}/{group}`, {
  summary: 'Detach a group that the settings do not name',
  codes: [
    ...serviceCodes,
    'SecretGroupDoesNotExist',
    'SecretGroupNotAttached',
    'CannotRemoveAutoAttachSecretGroups',
    'SecretVolumeNotReferenced',
    'SecretKeyNotReferenced',
  ],
});
