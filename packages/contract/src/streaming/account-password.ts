/** The password of an account: rotation with or without overlap, one-time display, and early end of the previous password. */
import { nameCodes, PasswordOverlap } from '../kernel/fields.ts';
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { startsRun } from '../pipeline/plan.ts';
import { SecretGroupName } from '../secret/secret-group.ts';
import { Account, accountFieldLabel, accountOne, accountOneCodes, accountShared, accountStartCodes } from './account.ts';

export const AccountRotation = z.object({
  /** With 0 the user keeps its name, and the previous password ends immediately. */
  overlapHours: PasswordOverlap,
  /** Secret group to create for the account if it has none. An existing group is always updated. */
  secretGroup: z.optional(SecretGroupName),
});

/** Shown once, to the identity that requested it. */
export const AccountPassword = z.object({ user: z.string(), password: z.string() });

export const accountRotate = route('accountRotate', `POST ${accountOne}/rotations`, {
  ...startsRun,
  summary: 'Make a new password: for the same user, which ends the old one now, or for a second user, so that both work for 1 or 24 hours',
  ...accountShared,
  body: AccountRotation,
  fieldLabel: accountFieldLabel,
  codes: [...nameCodes, ...accountStartCodes, 'FormerPasswordValid', 'SecretGroupAlreadyExists'],
});
export const accountPasswordTake = route('accountPasswordTake', `POST ${accountOne}/password`, {
  summary: 'Take the new password, once: for whom started the pipeline that made it, within 15 minutes',
  ...accountShared,
  response: AccountPassword,
  isSecret: true,
  codes: [...accountOneCodes, 'AccountPasswordGone', 'AccountPasswordOfOther'],
});
export const accountFormerPasswordEnd = route('accountFormerPasswordEnd', `DELETE ${accountOne}/former-password`, {
  summary: 'End the former user now, with its rules and its password',
  ...accountShared,
  response: Account,
  codes: [...accountOneCodes, 'NoFormerPassword'],
});
