/**
 * Robot accounts of an app's registry project: logins for CI, clusters and scripts. A permission is a resource with an action, named as in
 * Harbor. Only permissions that the registry enforces are offered.
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, overlapHours, PageQuery, reservedNames } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { synchronous, changesOf, resource } from '../resource.ts';
import { SecretKey } from '../secret/secret-entry.ts';
import { ExpiryDate, expiryOf, SecretGroupName } from '../secret/secret-group.ts';
import { registryCodes, registryPath, registryTag } from './registry-routes.ts';
import { robotAccountKind } from '../kinds/robot-account.kind.ts';

export const robotPermissions = [
  'repository:pull',
  'repository:push',
  'artifact:read',
  'artifact:delete',
  'tag:list',
  'tag:create',
  'tag:delete',
] as const;
export const RobotPermission = z.enum(robotPermissions);
export type RobotPermission = z.infer<typeof RobotPermission>;

/** Permission matrix for forms: rows are resources, and cells without a permission are not offered. */
export const robotMatrix = [
  {
    resource: 'repository',
    label: 'Repository',
    description: 'layers and configurations',
    read: 'repository:pull',
    write: 'repository:push',
  },
  { resource: 'artifact', label: 'Artifact', description: 'manifests and referrers', read: 'artifact:read', remove: 'artifact:delete' },
  { resource: 'tag', label: 'Tag', description: 'names of images', read: 'tag:list', write: 'tag:create', remove: 'tag:delete' },
] as const satisfies readonly {
  readonly resource: string;
  readonly label: string;
  readonly description: string;
  readonly read?: RobotPermission;
  readonly write?: RobotPermission;
  readonly remove?: RobotPermission;
}[];
const pull = ['repository:pull', 'artifact:read', 'tag:list'] as const;
const push = [...pull, 'repository:push', 'tag:create'] as const;
/** Presets of the forms. Requests may name a preset instead of permissions, too. */
export const robotPresets = {
  pull,
  push,
  delete: [...pull, 'artifact:delete', 'tag:delete'],
} as const satisfies Readonly<Record<string, readonly RobotPermission[]>>;

const presetWords = ['pull', 'push', 'delete'] as const;
const isPreset = (word: string): word is keyof typeof robotPresets => presetWords.some((preset) => preset === word);
/** Expands presets and returns every permission once, in the order of the list. */
export const permissionsOf = (words: readonly (RobotPermission | (typeof presetWords)[number])[]): RobotPermission[] => {
  const named = new Set(words.flatMap((word): readonly RobotPermission[] => (isPreset(word) ? robotPresets[word] : [word])));
  return robotPermissions.filter((permission) => named.has(permission));
};
export const RobotPermissions = z
  .array(z.enum([...robotPermissions, ...presetWords]), { error: 'Required' })
  .check(z.minLength(1, { error: 'Required' }), z.maxLength(20, { error: 'ExceedsMaximumLength' }));

/** The platform's own account. It has no secret: the platform signs a token that is valid for five minutes for each use. */
export const platformRobotName = 'slipway';
export const maxRobotAccounts = 100;
export const robotStates = ['EXPIRED', 'EXPIRING', 'ACTIVE', 'DISABLED'] as const;
export type RobotState = (typeof robotStates)[number];
/** An account works until the end of its last day, UTC. In the fourteen days before, it is EXPIRING. */
export const robotStateOf = (robot: { readonly isDisabled: boolean; readonly expiresOn: string | null }, now: Date): RobotState => {
  if (robot.isDisabled) return 'DISABLED';
  const expiry = expiryOf(robot.expiresOn, now);
  if (expiry === 'EXPIRED') return 'EXPIRED';
  return expiry === 'SOON' ? 'EXPIRING' : 'ACTIVE';
};

const Person = z.object({ id: z.string(), displayName: z.string() });
export const RobotAccount = z.object({
  name: z.string(),
  /** User name for login, `robot$<project>+<name>`. */
  username: z.string(),
  description: z.string(),
  permissions: z.array(RobotPermission),
  /** PLATFORM: managed by the platform; users cannot change it. */
  managedBy: z.enum(['TEAM', 'PLATFORM']),
  state: z.enum(robotStates),
  /** Last day of validity, UTC. Null: does not expire. */
  expiresOn: z.nullable(z.string()),
  /** Accurate to the minute. */
  lastUsed: z.nullable(z.object({ at: Instant, address: z.string(), client: z.string() })),
  /** Logins refused since the account expired or was disabled. */
  refusals: z.object({ count: z.number(), lastAt: z.nullable(Instant) }),
  /** When its secret was created. */
  secretAt: Instant,
  /** The previous secret while it still works. */
  previousSecret: z.nullable(z.object({ endsAt: Instant, lastUsedAt: z.nullable(Instant) })),
  createdAt: Instant,
  /** Null if a pipeline created it. */
  createdBy: z.nullable(Person),
  updatedAt: Instant,
  /** Verbs: update, rotate, activate, delete. */
  can: Can,
});
export type RobotAccount = z.infer<typeof RobotAccount>;

/** Destination of a new secret that is stored instead of returned: a key of an existing group, which gets a new version. */
export const SecretTarget = z.object({ environment: Environment, group: SecretGroupName, key: SecretKey });
export const RobotSecret = z.object({
  name: z.string(),
  username: z.string(),
  /** Returned once. Null if stored in a secret group. */
  secret: z.nullable(z.string()),
  host: z.string(),
  writtenTo: z.nullable(z.object({ environment: Environment, group: z.string(), key: z.string(), version: z.number() })),
  /** Until when the previous secret works. */
  previousEndsAt: z.nullable(Instant),
});
export type RobotSecret = z.infer<typeof RobotSecret>;

const description = z.string().check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' }));
const form = {
  description: z._default(description, ''),
  permissions: RobotPermissions,
  /** Last day of validity. Null: does not expire. */
  expiresOn: z._default(z.nullable(ExpiryDate), null),
};
export const RobotAccountCreate = z.object({
  name: z.string({ error: 'Required' }).check(
    z.trim(),
    z.minLength(1, { error: 'Required', abort: true }),
    z.regex(/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/, { error: 'KebabCase' }),
    z.maxLength(60, { error: 'ExceedsMaximumLength' }),
    z.refine<string>((name) => name !== platformRobotName && !reservedNames.has(name), { error: 'InvalidName' }),
  ),
  ...form,
  into: z.optional(SecretTarget),
});
export const RobotAccountUpdate = changesOf(form);
/** Overlap of a secret or key that is rotated at once, without a pipeline. */
export const OverlapHours = z._default(
  z.number({ error: 'NotANumber' }).check(z.refine((hours) => overlapHours.some((one) => one === hours), { error: 'InvalidValue' })),
  1,
);
export const RobotRotation = z.object({
  /** How long the previous secret keeps working: 0, 1 or 24 hours. */
  overlapHours: OverlapHours,
  /** Also changes the account's last day, if given. */
  expiresOn: z.optional(z.nullable(ExpiryDate)),
  into: z.optional(SecretTarget),
});

const access = { read: 'appMemberHidden', create: 'appMember', write: 'appMember' } as const;
const formCodes = ['Required', 'ExceedsMaximumLength', 'DoesNotMatchPattern', 'InvalidValue', 'ExpiryInThePast'] as const;
const intoCodes = [
  'KebabCase',
  'MinimumLength',
  'InvalidName',
  'InvalidSecretKey',
  'SecretGroupDoesNotExist',
  'ManageInternalSecretGroups',
  'SecretUnreadable',
  'SecretVersionConflict',
  'SecretVersionTooLarge',
  'TooManySecretKeys',
] as const;
const oneCodes = [...registryCodes, 'RobotAccountDoesNotExist'] as const;
const writeCodes = [...oneCodes, 'RobotAccountOfPlatform', 'NotAMember'] as const;
const made = resource({
  kind: robotAccountKind,
  tag: registryTag,
  path: `${registryPath}/robot-accounts`,
  name: 'robot',
  view: RobotAccount,
  create: RobotAccountCreate,
  update: RobotAccountUpdate,
  query: PageQuery,
  access,
  codes: {
    above: registryCodes,
    missing: 'RobotAccountDoesNotExist',
    taken: 'RobotAccountAlreadyExists',
    form: [...formCodes, ...intoCodes, 'TooManyRobotAccounts'],
    kept: ['RobotAccountOfPlatform'],
  },
  summaries: {
    list: 'Robot accounts: those that expired or soon expire first',
    create: 'Create a robot account; its secret is answered once, or written into a secret group',
    update: 'Change what a robot account may do, and until when. Its secret stays',
  },
});
export const robotAccountResource = {
  ...made,
  create: { ...synchronous(made.create, RobotSecret), isSecret: true },
  update: { ...synchronous(made.update, RobotAccount), codes: [...writeCodes, ...formCodes] },
  remove: synchronous(made.remove),
} as const;
export const {
  list: robotAccountList,
  view: robotAccountView,
  create: robotAccountCreate,
  update: robotAccountUpdate,
  remove: robotAccountDelete,
} = robotAccountResource;
const one = `${registryPath}/robot-accounts/{robot}` as const;
const route = routesIn({ tag: registryTag, access: access.write });
export const robotAccountRotate = route('robotAccountRotate', `POST ${one}/rotations`, {
  summary: 'Give a robot account a new secret; the old one works on for the hours that are asked',
  body: RobotRotation,
  response: RobotSecret,
  status: 201,
  isSecret: true,
  codes: [...writeCodes, ...formCodes, ...intoCodes, 'NotANumber'],
});
export const robotAccountSecretEnd = route('robotAccountSecretEnd', `DELETE ${one}/previous-secret`, {
  summary: 'End the secret of before the rotation now',
  codes: writeCodes,
});
export const robotAccountActivate = route('robotAccountActivate', `PUT ${one}/activation`, {
  summary: 'Disable a robot account, or enable it again',
  body: z.object({ active: z.boolean({ error: 'Required' }) }),
  response: RobotAccount,
  codes: [...writeCodes, 'Required'],
});
/** Login instructions for a client: the account, and the command without its secret. */
export const robotAccountChoose = route('robotAccountChoose', `GET ${registryPath}/sign-in`, {
  summary: 'The robot account to pull or push with, and the command to log in',
  access: access.read,
  query: z.object({ for: z._default(z.enum(['pull', 'push', 'delete']), 'push') }),
  response: z.object({ robot: z.string(), username: z.string(), host: z.string(), command: z.string() }),
  codes: [...registryCodes, 'InvalidValue', 'HARBOR_NO_ROBOT_ACCOUNTS_CONFIGURED', 'HARBOR_ROBOT_ACCOUNT_MISSING'],
});
