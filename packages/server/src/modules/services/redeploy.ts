/** Redeploys the serving image as a new revision, which reads the newest secrets. */
import type { Revision } from '@slipway/contract/service/revision.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { requireService, startServicePipeline, type By, type ServiceDeps } from './service-context.ts';
import { serviceSubject, type ServiceKey } from './services.sql.ts';

/** Returns the pipeline's id. Throws ServiceInactive if the service serves nothing. */
export const redeployService = (deps: ServiceDeps, by: By, key: ServiceKey): Promise<string> =>
  transaction(deps.db, async (trx) => {
    const service = await requireService(trx, key);
    const serving = await trx
      .selectFrom('revision')
      .select(['image_tag', 'image_digest'])
      .where('service_id', '=', service.id)
      .where('name', 'in', [...service.serving, ''])
      .executeTakeFirst();
    if (!service.active || !serving) throw new Problem('ServiceInactive');
    // Names no group: every signed-in user can read a revision's reason.
    const reason: Revision['reason'] = { type: 'SETTINGS', text: 'Reads the newest secrets', commit: null, commitMessage: null };
    const imageTag = serving.image_tag;
    const pipelineId = await startServicePipeline(deps, trx, deps.pipelines.deploy, {
      input: { ...key, imageTag, imageDigest: serving.image_digest, reason },
      by,
      trigger: 'person',
      facts: { imageTag },
    });
    await recordWrite(trx, by, {
      type: 'serviceDeploy',
      reason: 'Restart',
      message: `${by.displayName} restarts ${key.service} with its secrets`,
      subject: await serviceSubject(trx, key),
      pipelineId,
      after: { imageTag },
    });
    return pipelineId;
  });
