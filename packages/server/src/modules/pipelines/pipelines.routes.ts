/** Paths of pipelines: reading is for everybody who is signed in, stepping in is for the team. */
import {
  pipelineCancel,
  pipelineList,
  pipelineRerun,
  pipelineStepLogs,
  pipelineView,
  pipelineViewV1,
  type PipelineRun,
} from '@slipway/contract/pipeline.ts';
import { transaction, type Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordActivity } from '#modules/activity/index.ts';
import { PipelineActive } from './definition.ts';
import type { PipelineEngine } from './engine.ts';
import { interveneRule, logRule } from './pipeline-rights.ts';
import { pipelineRun, runFor, runPage, stepLogs } from './pipelines.sql.ts';

const subjectOf = async (db: Db, id: string) => {
  const row = await db
    .selectFrom('pipeline')
    .select(['type', 'team_id as team', 'created_by as createdBy', 'app_id as app', 'environment', 'service'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new Problem('PipelineDoesNotExist');
  return row;
};

const intervene = async (db: Db, id: string, caller: Caller) => {
  const subject = await subjectOf(db, id);
  const verdict = interveneRule(caller, subject);
  if (verdict !== true) throw new Problem(verdict, { context: { team: subject.team ?? '' } });
  return subject;
};

export const pipelineRoutes = (db: Db, engine: PipelineEngine): Handler[] => {
  const view = async (id: string, runId: string | undefined, caller: Caller): Promise<PipelineRun> => {
    const run = await pipelineRun(db, id, caller, runId);
    if (!run) throw new Problem('PipelineDoesNotExist');
    return run;
  };
  const record = (
    trx: Db,
    c: { caller: Caller; params: { pipelineId: string } },
    what: { type: string; reason: string; verb: string; subject: Awaited<ReturnType<typeof subjectOf>> },
  ) =>
    recordActivity(trx, {
      type: what.type,
      reason: what.reason,
      message: `${c.caller.displayName} ${what.verb} the pipeline ${what.subject.type}`,
      actor: c.caller,
      origin: c.caller.origin,
      outcome: 'STARTED',
      pipelineId: c.params.pipelineId,
      team: what.subject.team ?? undefined,
      app: what.subject.app ?? undefined,
      env: what.subject.environment ?? undefined,
      service: what.subject.service ?? undefined,
    });
  return [
    handle(pipelineView, (c) => view(c.params.pipelineId, c.query.runId, c.caller)),
    handle(pipelineViewV1, (c) => view(c.params.pipelineId, c.query.runId, c.caller)),
    handle(pipelineList, (c) => runPage(db, c.query, c.caller)),
    handle(pipelineCancel, async (c) => {
      const subject = await intervene(db, c.params.pipelineId, c.caller);
      await transaction(db, async (trx) => {
        await engine.cancel(trx, c.params.pipelineId, { id: c.caller.id, displayName: c.caller.displayName });
        await record(trx, c, { type: 'pipelineCancel', reason: 'Canceled', verb: 'cancelled', subject });
      });
      return runFor(db, c.params.pipelineId, c.caller);
    }),
    handle(pipelineRerun, async (c) => {
      const subject = await intervene(db, c.params.pipelineId, c.caller);
      try {
        await transaction(db, async (trx) => {
          await engine.rerun(trx, c.params.pipelineId, c.body.from, { id: c.caller.id, displayName: c.caller.displayName });
          await record(trx, c, { type: 'pipelineRerun', reason: 'Rerun', verb: 're-ran', subject });
        });
      } catch (error) {
        if (error instanceof PipelineActive) throw new Problem('WorkflowExecutionAlreadyStarted', { cause: error });
        throw error;
      }
      return runFor(db, c.params.pipelineId, c.caller);
    }),
    handle(pipelineStepLogs, async (c) => {
      const subject = await subjectOf(db, c.params.pipelineId);
      const verdict = logRule(c.caller, subject);
      if (verdict !== true) throw new Problem(verdict, { context: { team: subject.team ?? '' } });
      const run = await view(c.params.pipelineId, c.query.runId, c.caller);
      return stepLogs(db, run.runId, c.params.step, c.query.after);
    }),
  ];
};
