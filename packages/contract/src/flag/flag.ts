/** Feature flags of an app: one name and type in both environments, and a value, rules and a history in each. */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { changesOf, resource, synchronous } from '../resource.ts';
import { FlagName, FlagRules, FlagType, FlagValue, maxFlagRules } from './flag-rule.ts';
import { flagKind } from '../kinds/flag.kind.ts';

export const flagTag = 'Feature flags';
export const maxFlags = 500;
/** Maximum length of a text of an evaluation, which every pattern of the app may have to match. */
const maxAttributeLength = 1000;
/** True if no text in the attributes is longer than an evaluation takes. */
export const areShort = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= maxAttributeLength
    : typeof value !== 'object' || value === null || Object.values(value).every(areShort);
/** Maximum number of patterns in the rules of an app's flags, in each environment. */
export const maxFlagPatterns = 100;
/** Most prerequisites that an SDK evaluates for one flag, those of prerequisites included. */
export const maxFlagEvaluations = 1000;
/** Days without a change after which a flag with one answer for everyone is stale. */
export const staleAfterDays = 90;
/** Days without a request by any client after which flags are unused. */
export const unusedAfterDays = 60;

const Person = z.object({ id: z.string(), displayName: z.string() });
const settings = {
  /** Off: the payload omits the flag, and SDKs use the fallback in the code. */
  enabled: z.boolean(),
  /** Served if no rule matches. */
  value: FlagValue,
  rules: FlagRules,
};
export const FlagSettings = z.object({
  ...settings,
  version: z.number(),
  comment: z.string(),
  changedAt: Instant,
  changedBy: Person,
});
export type FlagSettings = z.infer<typeof FlagSettings>;
export const Flag = z.object({
  name: z.string(),
  app: z.string(),
  description: z.string(),
  type: FlagType,
  isArchived: z.boolean(),
  development: FlagSettings,
  production: FlagSettings,
  /** Flags whose current rules name this one as a prerequisite. */
  dependents: z.array(z.string()),
  /** SAME_FOR_ALL: unchanged for 90 days, with one answer for everyone. UNUSED: no client asked for 60 days. */
  stale: z.nullable(z.enum(['SAME_FOR_ALL', 'UNUSED'])),
  /** When a client last requested the flags of the app, to within a minute. */
  lastRequestedAt: z.nullable(Instant),
  createdAt: Instant,
  createdBy: Person,
  updatedAt: Instant,
  updatedBy: Person,
  /** Verbs: update, archive, delete. */
  can: Can,
});
export type Flag = z.infer<typeof Flag>;

/** Returns why a flag can probably be removed from the code. */
export const staleOf = (
  flag: Pick<Flag, 'development' | 'production' | 'isArchived' | 'createdAt' | 'lastRequestedAt'>,
  now: Date,
): Flag['stale'] => {
  if (flag.isArchived) return null;
  const isBefore = (at: string, days: number): boolean => Date.parse(at) < now.getTime() - days * 86_400_000;
  const isSame = ({ enabled, rules, changedAt }: FlagSettings): boolean =>
    isBefore(changedAt, staleAfterDays) && (!enabled || !rules.some((rule) => rule.enabled));
  if (isSame(flag.development) && isSame(flag.production)) return 'SAME_FOR_ALL';
  return isBefore(flag.createdAt, unusedAfterDays) && isBefore(flag.lastRequestedAt ?? flag.createdAt, unusedAfterDays) ? 'UNUSED' : null;
};

const description = z.string().check(z.trim(), z.maxLength(300, { error: 'ExceedsMaximumLength' }));
export const FlagCreate = z.object({
  name: FlagName,
  description: z._default(description, ''),
  type: z._default(FlagType, 'BOOLEAN'),
  /** Served in both environments until a rule matches. Omitted: false, an empty text, 0 or an empty object. */
  value: z.optional(FlagValue),
});
export const FlagUpdate = changesOf({ description: z._default(description, ''), isArchived: z._default(z.boolean(), false) });
const comment = z.optional(z.string().check(z.trim(), z.maxLength(300, { error: 'ExceedsMaximumLength' })));
const basedOn = z
  .number({ error: 'NotANumber' })
  .check(z.int({ error: 'NotAnInteger' }), z.minimum(1, { error: 'Minimum' }), z.maximum(2_147_483_647, { error: 'Maximum' }));
export const FlagSettingsUpdate = z.object({
  /** The version that the change is based on. The server rejects the change if a newer version exists. */
  basedOn,
  enabled: z.optional(settings.enabled),
  value: z.optional(settings.value),
  rules: z.optional(settings.rules),
  /** Why, for the history. */
  comment,
});

export const flagOutcomes = [
  'MATCHED',
  'DISABLED',
  'NOT_SCHEDULED',
  'PREREQUISITE',
  'CONDITION',
  'BUCKET',
  'PASSED',
  'NOT_REACHED',
] as const;
export const FlagPreview = z.object({
  /** Null if the flag is off, or a required prerequisite does not hold: the SDK uses the fallback in the code. */
  value: z.unknown(),
  source: z.enum(['OFF', 'RULE', 'DEFAULT', 'PREREQUISITE']),
  /** The rule that decided. */
  rule: z.nullable(z.string()),
  steps: z.array(
    z.object({
      rule: z.string(),
      outcome: z.enum(flagOutcomes),
      /** Position of the person from 0 to 100, if the rule applies to a share. */
      bucket: z.nullable(z.number()),
    }),
  ),
});
export type FlagPreview = z.infer<typeof FlagPreview>;

const access = 'appMemberHidden';
export const flagAppCodes = ['ApplicationDoesNotExists'] as const;
export const flagNameCodes = ['Required', 'KebabCase', 'ExceedsMaximumLength', 'InvalidValue'] as const;
const base = '/api/v1/apps/{app}/flags';
const made = resource({
  kind: flagKind,
  tag: flagTag,
  path: base,
  name: 'flag',
  view: Flag,
  create: FlagCreate,
  update: FlagUpdate,
  query: z.extend(PageQuery, { state: z.optional(z.enum(['ACTIVE', 'STALE', 'ARCHIVED'])) }),
  access: { read: access, create: access, write: access },
  codes: {
    above: flagAppCodes,
    missing: 'FlagDoesNotExist',
    taken: 'FlagAlreadyExists',
    form: [...flagNameCodes, 'FlagValueInvalid', 'FlagLimitReached', 'FlagIsPrerequisite'],
    kept: ['FlagIsPrerequisite'],
  },
  summaries: {
    list: 'Flags of an app with their settings in both environments',
    update: 'Describe, archive or unarchive a flag',
    remove: 'Delete a flag that no other flag depends on, with its history',
  },
});
export const flagResource = {
  ...made,
  create: synchronous(made.create, Flag),
  update: synchronous(made.update, Flag),
  remove: synchronous(made.remove),
} as const;
export const { list: flagList, view: flagView, create: flagCreate, update: flagUpdate, remove: flagDelete } = flagResource;

const one = '/api/v1/apps/{app}/{env}/flags/{flag}';
const oneCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'FlagDoesNotExist'] as const;
const writeCodes = [
  ...oneCodes,
  'FlagVersionConflict',
  'FlagValueInvalid',
  'FlagRuleInvalid',
  'FlagConditionInvalid',
  'FlagPrerequisiteInvalid',
  'FlagPrerequisiteCycle',
  'FlagLimitReached',
  'FlagRuleGroupMissing',
] as const;
export const flagSettingsUpdate = route({
  id: 'flagSettingsUpdate',
  method: 'PUT',
  path: `${one}/settings`,
  summary: 'Change what a flag answers in one environment',
  description: `A field that the body leaves out keeps its value. A flag has at most ${maxFlagRules} rules in each environment. The first rule that matches decides.`,
  tag: flagTag,
  access,
  body: FlagSettingsUpdate,
  response: Flag,
  bodyLimitKilobytes: 512,
  codes: [...writeCodes, ...flagNameCodes, 'NotANumber', 'NotAnInteger', 'Minimum', 'Maximum', 'DoesNotMatchPattern'],
});
export const flagVersionList = route({
  id: 'flagVersionList',
  method: 'GET',
  path: `${one}/versions`,
  summary: 'History of a flag in one environment, newest first',
  tag: flagTag,
  access,
  query: PageQuery,
  response: pageOf(FlagSettings),
  codes: [...oneCodes, ...pageCodes],
});
export const flagVersionRestore = route({
  id: 'flagVersionRestore',
  method: 'POST',
  path: `${one}/versions/{version}/restorations`,
  summary: 'Make the settings of an earlier version the newest version',
  tag: flagTag,
  access,
  body: z.object({ basedOn }),
  response: Flag,
  status: 201,
  codes: [...writeCodes, 'FlagVersionDoesNotExist', 'Required', 'NotANumber', 'NotAnInteger', 'Minimum', 'Maximum', 'InvalidValue'],
});
export const flagPreview = route({
  id: 'flagPreview',
  method: 'POST',
  path: `${one}/preview`,
  summary: 'What a person gets, and why; evaluated as for the SDKs, and not counted',
  tag: flagTag,
  access,
  body: z.object({
    attributes: z.record(z.string(), z.unknown()).check(
      z.refine((value) => JSON.stringify(value).length <= 8192, { error: 'ExceedsMaximumLength' }),
      z.refine(areShort, { error: 'ExceedsMaximumLength' }),
    ),
  }),
  response: FlagPreview,
  codes: [...oneCodes, 'Required', 'InvalidValue', 'ExceedsMaximumLength'],
});
/** The environment's settings of a flag. */
export const flagIn = (flag: Flag, environment: Environment): FlagSettings => flag[environment];
