/** Answers the routes of a project: its view, its policy, its quota and its end. */
import {
  containerRegistryDelete,
  containerRegistryQuotaSet,
  containerRegistryUpdate,
  containerRegistryView,
} from '@slipway/contract/registry/project.ts';
import { containerRegistryResource } from '@slipway/contract/registry/project.ts';
import type { RegistryPolicyUpdate } from '@slipway/contract/registry/policy.ts';
import { transaction } from '#db/database.ts';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { runFor, type PipelineEngine } from '#modules/pipelines/index.ts';
import { deleteEntity, entityPipelines, recordChange, updateEntity, type Area } from '#modules/resources/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import { registryEntity, type RegistryDeps } from './registry-entity.ts';
import { showProject } from './project-view.ts';
import { ensureRow } from './registry.sql.ts';

interface Request {
  readonly params: { readonly app: string };
  readonly owner: Owner;
  readonly caller: Caller;
}

export const projectRoutes = (deps: RegistryDeps & { readonly engine: PipelineEngine }): Required<Pick<Area, 'routes' | 'pipelines'>> => {
  const { db, engine, registry } = deps;
  const entity = registryEntity(deps);
  const pipelines = entityPipelines(db, entity);
  const kernel = { db, engine, pipelines };
  const show = ({ params: { app }, owner, caller }: Request) => showProject(deps, { app, teamId: owner.teamId, caller });
  const called = <Body>({ params: { app }, owner, caller }: Request, wanted: Body) => ({
    caller,
    owner,
    wanted,
    names: { app, project: app },
  });
  const update = async (c: Request & { readonly body: RegistryPolicyUpdate }) => {
    await ensureRow(db, c.params.app);
    const { pipelineId = '' } = await updateEntity(kernel, entity, called(c, c.body));
    return runFor(db, pipelineId, c.caller);
  };
  const remove = async (c: Request) => {
    await ensureRow(db, c.params.app);
    const { pipelineId = '' } = await deleteEntity(kernel, entity, called(c, undefined));
    return runFor(db, pipelineId, c.caller);
  };
  const setQuota = async (c: Request & { readonly body: { readonly quotaBytes: number | null } }) => {
    const { app } = c.params;
    const before = await registry.storage(app);
    await registry.projectQuota(app, c.body.quotaBytes).catch((error: unknown) => {
      throw isPortFailure(error, 'notFound') ? new Problem('MISSING_RESOURCE') : error;
    });
    await transaction(db, (trx) =>
      recordChange(trx, containerRegistryResource, containerRegistryQuotaSet, {
        caller: c.caller,
        names: { app, project: app },
        team: c.owner.teamId,
        title: app,
        reason: 'QuotaSet',
        message: `${c.caller.displayName} set the quota of the registry project ${app}`,
        before: { quotaBytes: before.quotaBytes },
        after: c.body,
      }),
    );
    return show(c);
  };
  const routes: Handler[] = [
    handle(containerRegistryView, show),
    handle(containerRegistryUpdate, update),
    handle(containerRegistryDelete, remove),
    handle(containerRegistryQuotaSet, setQuota, show),
  ];
  return { routes, pipelines: Object.values(pipelines) };
};
