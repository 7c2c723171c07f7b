/** The app's source repositories, and the services built from them. */
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import type { Revision } from '@slipway/contract/service/revision.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Repository, ServiceRepository } from '@slipway/contract/service/service-operations.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import type { CreationDeps } from '../create-service.ts';
import type { Connection } from '../pipelines/connect.steps.ts';
import type { RolloutImpact } from '../pipelines/rollout.steps.ts';
import { planned, requireIdle, type Pinned, type Prepare } from '../operation.ts';
import { olderRevisions } from '../pipelines/rollout.sql.ts';
import { productionNotes } from '../rollout-plan.ts';
import type { ServiceKey } from '../services.sql.ts';
import { recordServiceWrite, requireService, startServicePipeline, type By } from '../service-context.ts';

export type WantedRepository = z.output<typeof ServiceRepository> & Pinned;

/** Sorted by name. A service in both environments is listed once. */
export const repositoriesOf = async ({ db, source }: CreationDeps, app: string): Promise<z.infer<typeof Repository>[]> => {
  const found = await source.repositories(app);
  const rows = await db
    .selectFrom('service')
    .select(['name', 'repository_name'])
    .distinct()
    .where('app_id', '=', app)
    .where('repository_name', 'is not', null)
    .orderBy('name')
    .execute();
  return found.map(({ ref, cloneUrl, defaultBranch, headCommit }) => ({
    name: ref.name,
    cloneUrl,
    defaultBranch,
    headCommit: headCommit ?? null,
    services: rows.filter((row) => row.repository_name === ref.name).map(({ name }) => name),
  }));
};

const draftOf = (
  row: { spec: ServiceSpec; active: boolean; repository_name: string | null },
  key: ServiceKey,
  wanted: WantedRepository,
) => {
  const { githubRepositoryName: repository, buildNow } = wanted;
  const settings = { githubRepositoryName: row.repository_name, active: row.active, spec: row.spec };
  const context = { repository: `${key.app}/${repository ?? row.repository_name}` };
  return {
    warnings: productionNotes(key),
    changes: serviceChanges(settings, { ...settings, githubRepositoryName: repository }),
    consequences: [
      ...(buildNow && repository !== null ? [note('BuildsNow', context)] : []),
      note(
        repository === null ? 'PushesDeployNoMore' : key.environment === 'development' ? 'PushesDeploy' : 'PushesDeployElsewhere',
        context,
      ),
    ],
  };
};

const rolloutOf = async (trx: Transaction<DB>, { id, spec }: { id: string; spec: ServiceSpec }): Promise<RolloutImpact> => ({
  strategy: spec.rollout.strategy,
  replaces: (await olderRevisions(trx, id)).map(({ name }) => name),
});

/** Connects to a repository, or disconnects if it is null. Builds immediately if requested. */
export const prepareRepository = async (deps: CreationDeps, by: By, key: ServiceKey, wanted: WantedRepository): Promise<Prepare> => {
  const { githubRepositoryName: repository, buildNow } = wanted;
  const found = repository === null ? undefined : await deps.source.repository({ owner: key.app, name: repository });
  return async (trx) => {
    const row = await requireService(trx, key);
    if (row.state !== 'ACTIVE') throw new Problem('ServiceNotCreated');
    if (row.repository_name === repository && !(buildNow && repository !== null)) throw new Problem('NothingChanged');
    if (repository !== null && !found) throw new Problem('ChooseExistingRepository', { field: 'githubRepositoryName' });
    if (buildNow && !row.active) throw new Problem('ServiceInactive');
    await requireIdle(trx, key);
    // A repository without commits has nothing to build.
    const rollout = buildNow && found?.headCommit ? await rolloutOf(trx, row) : null;
    return {
      draft: { ...planned(deps.creation.connect, { rollout }), ...draftOf(row, key, wanted) },
      ...(rollout && found?.headCommit ? { digest: found.headCommit } : {}),
      start: (started) => {
        const connectedBefore = { repository: row.repository_name, commit: row.built_commit };
        const commit = rollout && wanted.isPinned ? found?.headCommit : undefined;
        return startConnection(deps, started, { by, key, wanted, connectedBefore, commit });
      },
    };
  };
};

const startConnection = async (
  deps: CreationDeps,
  trx: Transaction<DB>,
  {
    by,
    key,
    wanted: { isPinned: _isPinned, ...wanted },
    connectedBefore,
    commit,
  }: { by: By; key: ServiceKey; wanted: WantedRepository; connectedBefore: Connection; commit: string | undefined },
): Promise<string> => {
  const { githubRepositoryName: repository, buildNow } = wanted;
  const reason: Revision['reason'] = { type: 'DEPLOY', text: null, commit: null, commitMessage: null };
  const pipelineId = await startServicePipeline(deps, trx, deps.creation.connect, {
    input: { ...key, repository, buildNow: buildNow === true, reason, connectedBefore, ...(commit === undefined ? {} : { commit }) },
    by,
    trigger: 'person',
    ...(repository === null ? {} : { facts: { repository } }),
  });
  await recordServiceWrite(trx, key, by, {
    type: 'serviceRepositorySet',
    reason: repository === null ? 'Disconnected' : 'Connected',
    message:
      repository === null
        ? `${by.displayName} disconnected ${key.service} from ${connectedBefore.repository}`
        : `${by.displayName} connected ${key.service} to ${key.app}/${repository}`,
    pipelineId,
    before: { githubRepositoryName: connectedBefore.repository },
    after: wanted,
  });
  return pipelineId;
};
