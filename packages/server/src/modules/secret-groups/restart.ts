/** Deploys the image that serves anew, for services that run an older version of a group. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { Problem } from '#kernel/problem.ts';
import { runFor } from '#modules/pipelines/index.ts';
import { currentVersion, type GroupKey } from './groups.sql.ts';
import { requireGroup, type SecretDeps } from './secret-groups.ts';
import { attachments, needsRestart, type Place } from './usage.sql.ts';

/** Answers the pipeline's id; throws a Problem where the service cannot be deployed now. */
export type Redeploy = (by: Caller, service: Place & { service: string }) => Promise<string>;

/** `started`: by an earlier attempt of the same request, which did not get through all services. */
export const restartServices = async (
  deps: SecretDeps & { readonly redeploy: Redeploy },
  caller: Caller,
  key: GroupKey,
  { only, started = [] }: { readonly only: readonly string[] | undefined; readonly started?: readonly string[] },
): Promise<{ pipelines: PipelineRun[]; refused: { service: string; code: string }[] }> => {
  const { db, redeploy } = deps;
  const group = await requireGroup(db, key);
  const version = await currentVersion(db, group.id);
  const old = (await attachments(db, key, { groupId: group.id })).filter((item) => needsRestart(item, version));
  const pipelines: PipelineRun[] = await mapLimited(started, (id) => runFor(db, id, caller));
  const done = new Set(pipelines.map(({ subject }) => subject.service));
  const chosen = old.filter(({ service }) => !done.has(service) && (!only || only.includes(service)));
  if (chosen.length === 0 && pipelines.length === 0) throw new Problem('NothingToRestart');
  const refused: { service: string; code: string }[] = [];
  for (const { service } of chosen) {
    try {
      const { app, environment } = key;
      const pipelineId = await redeploy(caller, { app, environment, service });
      pipelines.push(await runFor(db, pipelineId, caller));
    } catch (error) {
      // One service that is busy must not keep the others from restarting.
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      refused.push({ service, code: error.code });
    }
  }
  return { pipelines, refused };
};
