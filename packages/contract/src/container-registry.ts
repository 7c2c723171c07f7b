/** The app's container registry project: where it is, its repositories, and robot accounts to log in with. */
import * as z from 'zod/mini';
import { robotAccountKind } from './container-registry.kind.ts';
import { Can, Instant } from './kernel/fields.ts';
import { route } from './kernel/kernel.ts';
import { atOnce, resource } from './kernel/resource.ts';

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
const made = resource({
  kind: robotAccountKind,
  tag,
  path: `${base}/robot-accounts`,
  name: 'robot',
  view: RobotAccount,
  create: RobotAccountCreate,
  update: z.never(),
  query: z.object({}),
  access: { read: 'appMemberHidden', create: 'appMember', write: 'appMember' },
  codes: {
    above: codes,
    missing: 'MISSING_RESOURCE',
    taken: 'RobotAccountAlreadyExists',
    form: ['Required', 'KebabCase', 'ExceedsMaximumLength', 'InvalidValue'],
    kept: [],
  },
  summaries: { create: 'Create a robot account; its secret is answered once' },
});
/** The registry's view lists them; a change makes a new secret, and is a creation that says so. */
export const robotAccountResource = {
  shape: made.shape,
  create: { ...atOnce(made.create, z.object({ username: z.string(), secret: z.string(), host: z.string() })), isSecret: true },
  remove: atOnce(made.remove),
} as const;
export const { create: robotAccountCreate, remove: robotAccountDelete } = robotAccountResource;
