/** The app's project in the container registry: location, policy, storage usage, and deletion. */
import * as z from 'zod/mini';
import { Can, Environment, Instant, numberCodes } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { resource } from '../resource.ts';
import { policyCodes, RegistryPolicy, RegistryPolicyUpdate } from './policy.ts';
import { containerRegistryKind } from '../kinds/project.kind.ts';
import { registryCodes, registryPath, registryTag } from './registry-routes.ts';
import { RobotAccount } from './robot-account.ts';

/**
 * UPDATING: changes are being applied, and the policy is locked until then. DELETED: the app has no project; a push to a service creates
 * one.
 */
export const registryStates = ['ACTIVE', 'UPDATING', 'DELETING', 'DELETED'] as const;
export const ContainerRegistry = z.object({
  host: z.string(),
  project: z.string(),
  exists: z.boolean(),
  state: z.enum(registryStates),
  /** The last pipeline that changed or deletes the project. */
  pipelineId: z.nullable(z.string()),
  policy: RegistryPolicy,
  /** The last requested policy, if it could not be applied. Null after a successful change. */
  draft: z.nullable(RegistryPolicyUpdate),
  storage: z.object({
    /** Shared layers count once. */
    usedBytes: z.number(),
    /** Size of unfinished uploads, which count against the quota. */
    uploadingBytes: z.number(),
    /** Null: limited only by the disk. */
    quotaBytes: z.nullable(z.number()),
  }),
  repositoryCount: z.number(),
  /** The ten largest repositories. A shared layer counts in each of them. */
  repositories: z.array(z.object({ repository: z.string(), tags: z.number(), sizeBytes: z.number(), updatedAt: Instant })),
  lastPush: z.nullable(z.object({ repository: z.string(), tag: z.string(), at: Instant, by: z.string() })),
  /** The last time that retention deleted tags of this project. Null if never. */
  lastRetention: z.nullable(z.object({ at: Instant, tags: z.number(), sizeBytes: z.number() })),
  nextRetentionAt: z.nullable(Instant),
  /** Services that use images of this project, at most twenty. */
  usedBy: z.array(z.object({ environment: Environment, service: z.string() })),
  robotAccounts: z.array(RobotAccount),
  /** Verbs: update, delete, deleteImages, setQuota, manageRobotAccounts. */
  can: Can,
});
export type ContainerRegistry = z.infer<typeof ContainerRegistry>;

/** Returns why a project cannot be deleted (specification §8), or true. */
export const registryDeleteRule = ({ usedBy }: { readonly usedBy: number }): true | 'HarborProjectInUse' =>
  usedBy > 0 ? 'HarborProjectInUse' : true;

const made = resource({
  kind: containerRegistryKind,
  tag: registryTag,
  path: registryPath,
  name: 'project',
  view: ContainerRegistry,
  create: z.never(),
  update: RegistryPolicyUpdate,
  query: z.object({}),
  access: { read: 'appMemberHidden', create: 'appMember', write: 'appMemberHidden' },
  codes: { above: registryCodes, missing: 'MISSING_RESOURCE', taken: 'MISSING_RESOURCE', form: policyCodes, kept: ['HarborProjectInUse'] },
  summaries: {
    view: "The app's registry project: policy, storage, and what uses it",
    update: 'Change what the project lets through and keeps',
    remove: 'Delete the project with all its images; never while services use it',
  },
});
/** An app has exactly one project, so the path has no name for it. The project is created and deleted with the app. */
export const containerRegistryResource = {
  shape: made.shape,
  view: { ...made.view, path: registryPath },
  update: { ...made.update, path: registryPath },
  remove: { ...made.remove, path: registryPath },
} as const;
export const { view: containerRegistryView, update: containerRegistryUpdate, remove: containerRegistryDelete } = containerRegistryResource;

export const containerRegistryQuotaSet = route('containerRegistryQuotaSet', `PUT ${registryPath}/quota`, {
  summary: 'Set how many bytes the project may hold; null: what the platform gives every project',
  tag: registryTag,
  access: 'administrator',
  body: z.object({
    quotaBytes: z.nullable(
      z
        .number({ error: 'NotANumber' })
        .check(z.int({ error: 'NotAnInteger' }), z.minimum(0, { error: 'Minimum' }), z.maximum(2 ** 50, { error: 'Maximum' })),
    ),
  }),
  response: ContainerRegistry,
  codes: [...numberCodes, ...registryCodes, 'NotAnAdministrator', 'Required', 'InvalidValue'],
});
