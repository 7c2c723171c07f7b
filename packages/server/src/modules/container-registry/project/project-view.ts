/** An app's registry project as the contract shows it: policy, storage and what uses it, with what the registry knows of it. */
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { pushersOf } from '../images/pusher-names.ts';
import { nextNight } from '../retention/retention-task.ts';
import { robotAccounts } from '../robots/index.ts';
import { openPolicy, policyAt } from './policy.ts';
import { registryCan, type RegistryDeps } from './registry-entity.ts';
import { registryRow, servicesOf, type RegistryRow } from './registry.sql.ts';

const LARGEST = 10;
const emptySlice = { items: [], counted: 0 };

const draftOf = (row: RegistryRow | undefined): ContainerRegistry['draft'] => {
  if (!row?.wanted || row.state === 'UPDATING') return null;
  const { allowedCves, ...rest } = row.wanted;
  return { ...rest, allowedCves: allowedCves.map(({ cveId, reason, expiresAt }) => ({ cveId, reason, expiresAt })) };
};

/** Null until it has said what it did. */
const retentionOf = (row: RegistryRow | undefined): ContainerRegistry['lastRetention'] =>
  row?.retained_at && row.retained_tags !== null
    ? { at: row.retained_at.toISOString(), tags: row.retained_tags, sizeBytes: row.retained_bytes ?? 0 }
    : null;

/** The newest of the repository that was pushed to last. */
const lastPushOf = async ({ db, registry }: RegistryDeps, repository: string | undefined): Promise<ContainerRegistry['lastPush']> => {
  if (repository === undefined) return null;
  const { items } = await registry.tagSlice(repository, { sort: 'pushedAt', isDescending: true, offset: 0, limit: 1 });
  const [tag] = items;
  if (!tag) return null;
  const pusherOf = await pushersOf(db, [tag.pushedBy]);
  return { repository, tag: tag.tag, at: tag.pushedAt.toISOString(), by: pusherOf(tag.pushedBy).displayName };
};

export const showProject = async (
  deps: RegistryDeps,
  { app, teamId, caller }: { readonly app: string; readonly teamId: string; readonly caller: Caller },
): Promise<ContainerRegistry> => {
  const { db, registry } = deps;
  const exists = await registry.projectExists(app);
  const slice = { isDescending: true, offset: 0 } as const;
  const [row, usedBy, storage, largest, newest, robots] = await Promise.all([
    registryRow(db, app),
    servicesOf(db, app),
    registry.storage(app),
    exists ? registry.repositorySlice(app, { ...slice, sort: 'sizeBytes', limit: LARGEST }) : emptySlice,
    exists ? registry.repositorySlice(app, { ...slice, sort: 'pushedAt', limit: 1 }) : emptySlice,
    exists ? robotAccounts(db, registry, { app, team: teamId }, caller) : [],
  ]);
  const now = new Date();
  const policy = policyAt(row?.policy ?? openPolicy, now);
  const state = row && row.state !== 'ACTIVE' ? row.state : exists ? 'ACTIVE' : 'DELETED';
  const member = memberRule(caller, teamId);
  return {
    host: registry.host,
    project: app,
    exists,
    state,
    pipelineId: row?.pipeline_id ?? null,
    policy,
    draft: draftOf(row),
    storage,
    repositoryCount: largest.counted,
    repositories: largest.items.map((one) => ({ ...one, updatedAt: one.updatedAt.toISOString() })),
    lastPush: await lastPushOf(deps, newest.items[0]?.repository),
    lastRetention: retentionOf(row),
    nextRetentionAt: policy.retention && exists ? nextNight(now).toISOString() : null,
    usedBy,
    // The platform's own stands in the list of all.
    robotAccounts: robots.filter(({ managedBy }) => managedBy === 'TEAM'),
    can: {
      ...registryCan(member, { state, services: usedBy.length }),
      deleteImages: member,
      setQuota: caller.isAdministrator ? true : 'NotAnAdministrator',
      manageRobotAccounts: member,
    },
  };
};
