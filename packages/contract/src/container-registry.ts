/** The app's container registry project: where it is, its repositories, and robot accounts to log in with. */
import * as z from 'zod/mini';
import { Can, Instant } from './kernel/fields.ts';
import { route } from './kernel/kernel.ts';

export const robotPermissions = ['pull', 'push', 'delete'] as const;
export const RobotAccount = z.object({
  name: z.string(),
  /** What one logs in with, `robot$<project>+<name>`. */
  username: z.string(),
  permissions: z.array(z.enum(robotPermissions)),
  /** When its secret was made. */
  updatedAt: Instant,
});
export type RobotAccount = z.infer<typeof RobotAccount>;

export const ContainerRegistry = z.object({
  host: z.string(),
  project: z.string(),
  exists: z.boolean(),
  repositories: z.array(z.object({ repository: z.string(), tags: z.number(), updatedAt: Instant })),
  robotAccounts: z.array(RobotAccount),
  can: Can,
});
export type ContainerRegistry = z.infer<typeof ContainerRegistry>;
export const RobotAccountCreate = z.object({
  name: z
    .string({ error: 'Required' })
    .check(
      z.trim(),
      z.minLength(1, { error: 'Required', abort: true }),
      z.regex(/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/, { error: 'KebabCase' }),
      z.maxLength(60, { error: 'ExceedsMaximumLength' }),
    ),
  permissions: z.array(z.enum(robotPermissions)).check(z.minLength(1, { error: 'Required' })),
  /** Gives an account that exists a new secret; the old one ends. */
  renew: z._default(z.boolean(), false),
});

const tag = 'Container registry';
const base = '/api/v1/apps/{app}/{env}/container-registry';
const codes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'EngineUnavailable'] as const;
export const containerRegistryView = route({
  id: 'containerRegistryView',
  method: 'GET',
  path: base,
  summary: "The app's project, its repositories and robot accounts",
  tag,
  access: 'appMemberHidden',
  response: ContainerRegistry,
  codes,
});
export const robotAccountCreate = route({
  id: 'robotAccountCreate',
  method: 'POST',
  path: `${base}/robot-accounts`,
  summary: 'Create a robot account; its secret is answered once',
  tag,
  access: 'appMember',
  body: RobotAccountCreate,
  response: z.object({ username: z.string(), secret: z.string(), host: z.string() }),
  isSecret: true,
  status: 201,
  codes: [...codes, 'NotAMember', 'Required', 'KebabCase', 'ExceedsMaximumLength', 'InvalidValue', 'RobotAccountAlreadyExists'],
});
export const robotAccountDelete = route({
  id: 'robotAccountDelete',
  method: 'DELETE',
  path: `${base}/robot-accounts/{robot}`,
  summary: 'Delete a robot account',
  tag,
  access: 'appMember',
  codes: [...codes, 'NotAMember'],
});
