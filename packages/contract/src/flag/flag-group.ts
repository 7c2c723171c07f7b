/** Saved groups: named lists of attribute values that rules of flags refer to. */
import * as z from 'zod/mini';
import { Can, Instant, PageQuery } from '../kernel/fields.ts';
import { changesOf, resource, synchronous } from '../resource.ts';
import { flagAppCodes, flagNameCodes, flagTag } from './flag.ts';
import { FlagName } from './flag-rule.ts';
import { flagGroupKind } from '../kinds/flag.kind.ts';

export const maxFlagGroups = 100;
const Person = z.object({ id: z.string(), displayName: z.string() });
export const FlagGroup = z.object({
  name: z.string(),
  app: z.string(),
  description: z.string(),
  attribute: z.string(),
  values: z.array(z.string()),
  /** Flags whose current rules use the group. */
  flags: z.array(z.string()),
  createdAt: Instant,
  updatedAt: Instant,
  updatedBy: Person,
  /** Verbs: update, delete. */
  can: Can,
});
export type FlagGroup = z.infer<typeof FlagGroup>;

const form = {
  description: z._default(z.string().check(z.trim(), z.maxLength(300, { error: 'ExceedsMaximumLength' })), ''),
  /** Values of the group's attribute. */
  values: z
    .array(z.string().check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(200, { error: 'ExceedsMaximumLength' })), {
      error: 'Required',
    })
    .check(z.maxLength(5000, { error: 'ExceedsMaximumLength' })),
};
export const FlagGroupCreate = z.object({
  name: FlagName,
  /** Attribute of the person that the rule looks up in the group. */
  attribute: z._default(z.string().check(z.regex(/^[A-Za-z_][\w.-]{0,63}$/, { error: 'DoesNotMatchPattern' })), 'id'),
  ...form,
});
export const FlagGroupUpdate = changesOf(form);

const access = 'appMemberHidden';
const bodyLimitKilobytes = 2048;
const made = resource({
  kind: flagGroupKind,
  tag: flagTag,
  path: '/api/v1/apps/{app}/flag-groups',
  name: 'group',
  view: FlagGroup,
  create: FlagGroupCreate,
  update: FlagGroupUpdate,
  query: PageQuery,
  access: { read: access, create: access, write: access },
  codes: {
    above: flagAppCodes,
    missing: 'FlagGroupDoesNotExist',
    taken: 'FlagGroupAlreadyExists',
    form: [...flagNameCodes, 'DoesNotMatchPattern', 'FlagLimitReached'],
    kept: ['FlagGroupInUse'],
  },
  summaries: { remove: 'Delete a saved group that no flag uses' },
});
export const flagGroupResource = {
  ...made,
  create: { ...synchronous(made.create, FlagGroup), bodyLimitKilobytes },
  update: { ...synchronous(made.update, FlagGroup), bodyLimitKilobytes },
  remove: synchronous(made.remove),
} as const;
export const {
  list: flagGroupList,
  view: flagGroupView,
  create: flagGroupCreate,
  update: flagGroupUpdate,
  remove: flagGroupDelete,
} = flagGroupResource;
