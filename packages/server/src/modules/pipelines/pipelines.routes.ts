/** Paths of pipelines: reading is for everybody who is signed in, stepping in is for the team. */
import {
  pipelineCancel,
  pipelineList,
  pipelineRerun,
  pipelineStepLogs,
  pipelineStopWaiting,
  pipelineView,
  pipelineViewV1,
  type PipelineRun,
} from '@slipway/contract/pipeline/pipeline.ts';
import { transaction, type Database, type Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite, subjectOfRow } from '#modules/activity/index.ts';
import { PipelineActive } from './definition.ts';
import type { PipelineEngine } from './engine.ts';
import { interveneRule, isShown, logRule, ownedOf } from './pipeline-rights.ts';
import { pipelineRun, runFor, runPage, stepLogs } from './pipelines.sql.ts';

const pipelineOf = async (db: Db, id: string, caller: Caller) => {
  const row = await db
    .selectFrom('pipeline')
    .select(['type', 'team_id', 'created_by', 'subject_kind', 'subject_names', 'subject_keys'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || !isShown(caller, { kind: row.subject_kind, team: row.team_id })) throw new Problem('PipelineDoesNotExist');
  return { ...row, owned: ownedOf({ type: row.type, team: row.team_id, createdBy: row.created_by }) };
};

const intervene = async (db: Db, id: string, caller: Caller) => {
  const pipeline = await pipelineOf(db, id, caller);
  const verdict = interveneRule(caller, pipeline.owned);
  if (verdict !== true) throw new Problem(verdict, { context: { team: pipeline.team_id ?? '' } });
  return pipeline;
};

const pipelineRoutes = (db: Db, engine: PipelineEngine): Handler[] => {
  const view = async (id: string, runId: string | undefined, caller: Caller): Promise<PipelineRun> => {
    const run = await pipelineRun(db, id, caller, runId);
    if (!run) throw new Problem('PipelineDoesNotExist');
    return run;
  };
  const record = (
    trx: Db,
    c: { caller: Caller; params: { pipelineId: string } },
    what: { type: string; reason: string; verb: string; pipeline: Awaited<ReturnType<typeof pipelineOf>> },
  ) =>
    recordWrite(trx, c.caller, {
      type: what.type,
      reason: what.reason,
      message: `${c.caller.displayName} ${what.verb} the pipeline ${what.pipeline.type}`,
      pipelineId: c.params.pipelineId,
      subject: subjectOfRow(what.pipeline),
    });
  return [
    handle(pipelineView, (c) => view(c.params.pipelineId, c.query.runId, c.caller)),
    handle(pipelineViewV1, (c) => view(c.params.pipelineId, c.query.runId, c.caller)),
    handle(pipelineList, (c) => runPage(db, c.query, c.caller)),
    handle(pipelineCancel, async (c) => {
      const pipeline = await intervene(db, c.params.pipelineId, c.caller);
      await transaction(db, async (trx) => {
        await engine.cancel(trx, c.params.pipelineId, { id: c.caller.id, displayName: c.caller.displayName });
        await record(trx, c, { type: 'pipelineCancel', reason: 'Canceled', verb: 'cancelled', pipeline });
      });
      return runFor(db, c.params.pipelineId, c.caller);
    }),
    handle(pipelineStopWaiting, async (c) => {
      const pipeline = await intervene(db, c.params.pipelineId, c.caller);
      await transaction(db, async (trx) => {
        await engine.stopWaiting(trx, c.params.pipelineId);
        await record(trx, c, { type: 'pipelineStopWaiting', reason: 'Stopped', verb: 'stopped the waiting of', pipeline });
      });
      return runFor(db, c.params.pipelineId, c.caller);
    }),
    handle(pipelineRerun, async (c) => {
      const pipeline = await intervene(db, c.params.pipelineId, c.caller);
      try {
        await transaction(db, async (trx) => {
          await engine.rerun(trx, c.params.pipelineId, c.body.from, { id: c.caller.id, displayName: c.caller.displayName });
          await record(trx, c, { type: 'pipelineRerun', reason: 'Rerun', verb: 're-ran', pipeline });
        });
      } catch (error) {
        if (error instanceof PipelineActive) throw new Problem('WorkflowExecutionAlreadyStarted', { cause: error });
        throw error;
      }
      return runFor(db, c.params.pipelineId, c.caller);
    }),
    handle(pipelineStepLogs, async (c) => {
      const { owned } = await pipelineOf(db, c.params.pipelineId, c.caller);
      const verdict = logRule(c.caller, owned);
      if (verdict !== true) throw new Problem(verdict, { context: { team: owned.team ?? '' } });
      const run = await view(c.params.pipelineId, c.query.runId, c.caller);
      return stepLogs(db, run.runId, c.params.step, c.query.after);
    }),
  ];
};

export const pipelineArea = ({ database: { db }, engine }: { readonly database: Database; readonly engine: PipelineEngine }) => ({
  routes: pipelineRoutes(db, engine),
  checks: { pipelines: async () => (engine.isReady ? 'ok' : 'starting') },
});
