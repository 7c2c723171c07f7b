/** Values of the robot account forms. Creating, editing and rotating share one shape; each form shows its own fields. */
import { RobotAccountCreate, robotPermissions, SecretTarget, type RobotPermission } from '@slipway/contract/registry/robot-account.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { ExpiryDate } from '@slipway/contract/secret/secret-group.ts';
import * as z from 'zod/mini';
import { dayAfter } from '#features/registry/days.ts';

export interface RobotValues {
  name: string;
  description: string;
  permissions: RobotPermission[];
  /** Empty if the account never expires. */
  expiresOn: string;
  overlapHours: number;
  /** The destination if the secret is stored in a group. */
  into: { environment: Environment; group: string; key: string };
}

const usualDays = 90;
export const newRobotValues = (now = new Date()): RobotValues => ({
  name: '',
  description: '',
  permissions: [],
  expiresOn: dayAfter(usualDays, now),
  overlapHours: 1,
  into: { environment: 'production', group: '', key: '' },
});

export const robotLabels = {
  name: 'Name',
  description: 'What is it for?',
  permissions: 'Permissions',
  expiresOn: 'Expires',
  overlapHours: 'The old secret',
  'into.environment': 'Environment',
  'into.group': 'Secret group',
  'into.key': 'Key',
};

const anyText: z.ZodMiniType<string, string> = z.string();
const environment = z.enum(['development', 'production']);
/** Validated only if the secret is stored in a group. */
const anyTarget: z.ZodMiniType<RobotValues['into'], RobotValues['into']> = z.object({ environment, group: z.string(), key: z.string() });
const target: typeof anyTarget = z.object({ environment, group: SecretTarget.shape.group, key: SecretTarget.shape.key });
const anyPermissions: z.ZodMiniType<RobotPermission[], RobotPermission[]> = z.array(z.enum(robotPermissions));

export const robotSchema = ({ isNew = false, hasPermissions = true, isIntoGroup = false } = {}): z.ZodMiniType<RobotValues, RobotValues> =>
  z.object({
    name: isNew ? RobotAccountCreate.shape.name : anyText,
    description: z.string().check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' })),
    permissions: hasPermissions ? anyPermissions.check(z.minLength(1, { error: 'Required' })) : anyPermissions,
    expiresOn: z.union([z.literal(''), ExpiryDate]),
    overlapHours: z.number(),
    into: isIntoGroup ? target : anyTarget,
  });

export const expiresOnOf = (day: string): string | null => (day === '' ? null : day);
