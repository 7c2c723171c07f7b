/** Notifies the owning team of a failed run. The person who started it is notified too, because the failure is not their act. */
import { nameOf, pipelinePathOf, subjectKey } from '@slipway/contract/kinds.ts';
import { pipelineTypeLabel } from '@slipway/contract/pipeline/pipeline-types.ts';
import { stepNameOf } from '@slipway/contract/pipeline/steps.ts';
import type { Db } from '#db/database.ts';
import { subjectOfRow } from '#modules/activity/index.ts';
import { notify } from './notify.ts';

export const notifyFailedRun = async (trx: Db, pipelineId: string, runId: string): Promise<void> => {
  const row = await trx
    .selectFrom('pipeline')
    .innerJoin('pipeline_run', 'pipeline_run.pipeline_id', 'pipeline.id')
    .select(['pipeline.type', 'pipeline.team_id', 'pipeline.subject_kind', 'pipeline.subject_names', 'pipeline.subject_keys'])
    .select('pipeline_run.status_message')
    .where('pipeline.id', '=', pipelineId)
    .where('pipeline_run.run_id', '=', runId)
    .executeTakeFirst();
  const subject = row && subjectOfRow(row);
  if (!subject || row.team_id === null) return;
  const { app, env } = subject.names;
  await notify(trx, {
    id: `pipeline.failed/${runId}`,
    type: 'pipeline.failed',
    entity: subjectKey(subject),
    team: row.team_id,
    context: {
      pipeline: pipelineTypeLabel(row.type) ?? row.type,
      name: nameOf(subject),
      place: [app, env]
        .filter((part) => part !== undefined)
        .map((part) => `${part} · `)
        .join(''),
      step: row.status_message ? stepNameOf(row.status_message.step) : 'its start',
    },
    path: pipelinePathOf(subject, pipelineId),
  });
};
