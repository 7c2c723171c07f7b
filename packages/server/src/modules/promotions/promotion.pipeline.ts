/**
 * The pipeline of a promotion. Each step promotes the resources of one kind, part by part: it performs production's own write, and waits for
 * the pipeline which that starts. Nothing is undone: what arrived in production is of use without the rest, and a re-run continues.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isActive, pipelineRerun, type PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { PromotionKind } from '@slipway/contract/promotion.ts';
import { Request } from '@slipway/contract/request/request.ts';
import { serviceChangeRequest } from '@slipway/contract/service/approval.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { everyScope, loadCaller } from '#kernel/auth/callers.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { definePipeline, StepFailure, type PipelineDefinition, type StepContext, type StepDefinition } from '#modules/pipelines/index.ts';
import { compareOne, dryRun } from './comparison.ts';
import { partsOf, setPart, type PartRow } from './parts.sql.ts';
import type { PromotingWrite, PromotionDeps } from './promoted-kind.ts';

export interface PromotionInput {
  readonly app: string;
  readonly origin: Caller['origin'];
}
interface Deps extends PromotionDeps {
  readonly pool: Pool;
}
type Context = StepContext<PromotionInput, object>;

/** Values of secrets are saved before the pipeline starts. */
const steps = [
  ['database', 'PromoteDatabases'],
  ['schema', 'PromoteSchemas'],
  ['topic', 'PromoteTopics'],
  ['account', 'PromoteAccounts'],
  ['service', 'PromoteServices'],
] as const satisfies readonly (readonly [PromotionKind, string])[];
export const stepOf = (kind: PromotionKind): string | undefined => steps.find(([word]) => word === kind)?.[1];

const POLL_MS = 200;
interface Ended {
  readonly state: PipelineState;
  readonly failure: string;
}
/** The latest run of a part's pipeline. Undefined if the pipeline was deleted. */
const runState = async ({ db }: Deps, pipelineId: string): Promise<Ended | undefined> => {
  const row = await db
    .selectFrom('pipeline_run')
    .select(['state', 'status_message'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const message = row?.status_message;
  return row && { state: row.state, failure: message ? stepMessageOf(message.step, message) : '' };
};
const ended = async (deps: Deps, pipelineId: string, signal: AbortSignal): Promise<Ended | undefined> => {
  for (;;) {
    const run = await runState(deps, pipelineId);
    if (!run || !isActive(run.state)) return run;
    await delay(POLL_MS, undefined, { signal });
  }
};

/** The person in whose name the part is promoted, with the rights of now. */
const callerOf = async ({ pool }: Deps, { createdBy, input: { origin } }: Context): Promise<Caller> => {
  const caller = await loadCaller(pool, createdBy.id, { origin, scopes: everyScope });
  if (!caller) throw new Problem('OwnerNotInDirectory', { context: { value: createdBy.displayName } });
  return caller;
};

interface Working {
  readonly deps: Deps;
  readonly c: Context;
  readonly part: PartRow;
  readonly caller: Caller;
}

/** Asks a second person instead, with the request that the plan of the write contains. Returns its id, or undefined if nobody has to approve. */
const askApproval = async ({ deps, c, part, caller }: Working, write: PromotingWrite): Promise<string | undefined> => {
  const { approval } = await dryRun(deps, caller, write);
  if (!approval) return undefined;
  const { app, environment: env, request } = approval;
  const asked = await deps.callInside.once(
    serviceChangeRequest,
    { caller, params: { app, env }, body: { ...request, comment: 'Part of a promotion to production' } },
    { key: `promotion ${c.runId} ${part.index} approval`, before: async () => undefined },
  );
  return Request.parse(asked).id;
};

/** Starts the write of a part, once for each run of the promotion. What must hold before a part begins is checked in `before`. */
const startPart = async (working: Working): Promise<string | undefined> => {
  const { deps, c, part, caller } = working;
  const { app } = c.input;
  const at = { app, name: part.name, caller };
  const key = `promotion ${c.runId} ${part.index}`;
  // A repeat of this step, after a crash: production has changed since, so comparing it would name another write, or none.
  const started = await deps.callInside.started(caller, key);
  if (started !== undefined) return started;
  const found = await compareOne(deps, part.kind, at);
  if (!found?.compared) throw new Problem('ProductionChangedMeanwhile');
  const write = found.compared.write({ fields: part.fields ?? undefined });
  const { route, params, body } = write;
  const before = async (): Promise<void> => {
    if (found.row.mark !== part.mark) throw new Problem('ProductionChangedMeanwhile');
  };
  try {
    const answer = await deps.callInside.once(route, { caller, params, body }, { key, before });
    return isRecord(answer) ? String(answer['pipelineId']) : undefined;
  } catch (error) {
    // A freeze refuses the write before its approval is looked at. The approval can be requested meanwhile.
    if (!(error instanceof Problem) || !['ApprovalRequired', 'ProductionFrozen'].includes(error.code)) throw error;
    const request = await askApproval(working, write);
    if (request === undefined) throw error;
    await setPart(deps.db, app, part, { state: 'ASKED', request });
    c.log(`${part.name} waits for the approval of ${request}`);
    return undefined;
  }
};

/** Continues a part whose pipeline failed in an earlier run of the promotion, or starts it. */
const pipelineFor = async (working: Working): Promise<string | undefined> => {
  const { deps, c, part, caller } = working;
  const known = part.part_pipeline_id;
  const run = known === null ? undefined : await runState(deps, known);
  if (known === null || !run) return startPart(working);
  if (run.state !== 'FAILED' && run.state !== 'CANCELED') return known;
  // A repeat of this step, after a crash: the pipeline belongs to this run of the promotion, and failed in it. In the first attempt, the
  // earlier run was canceled while the pipeline ran.
  if (c.attempt > 1 && part.state === 'RUNNING' && part.failure === null) return known;
  const body = { from: 'failedStep' as const };
  const key = `promotion ${c.runId} ${part.index} rerun`;
  await deps.callInside.once(pipelineRerun, { caller, params: { pipelineId: known }, body }, { key, before: async () => undefined });
  return known;
};

const promotePart = async (deps: Deps, c: Context, part: PartRow): Promise<void> => {
  const { app } = c.input;
  try {
    const working = { deps, c, part, caller: await callerOf(deps, c) };
    if (part.state === 'WAITING') await setPart(deps.db, app, part, { state: 'RUNNING' });
    const pipelineId = await pipelineFor(working);
    if (pipelineId === undefined) return;
    await setPart(deps.db, app, part, { state: 'RUNNING', part_pipeline_id: pipelineId, failure: null });
    c.log(`${part.name}: pipeline ${pipelineId}`);
    const run = await ended(deps, pipelineId, c.signal);
    if (run?.state !== 'COMPLETED') throw new StepFailure('PartFailed', { name: part.name, reason: run?.failure ?? '' });
    await setPart(deps.db, app, part, { state: 'DONE', failure: null });
  } catch (error) {
    const failure = failureOf(error, part.name);
    if (!failure) throw error;
    await setPart(deps.db, app, part, { state: 'FAILED', failure: failure.context['reason'] ?? '' });
    throw failure;
  }
};
/** Undefined if the step is repeated: an engine is away, or another replica takes over. */
const failureOf = (error: unknown, name: string): StepFailure | undefined => {
  if (error instanceof StepFailure) return error;
  if (!(error instanceof Problem) || error.status >= 500) return undefined;
  return new StepFailure('PartFailed', { name, reason: error.message }, { cause: error });
};

const stepFor = (deps: Deps, kind: PromotionKind, code: string): StepDefinition<PromotionInput, object> => ({
  code,
  run: async (c) => {
    const parts = await partsOf(deps.db, c.pipelineId, kind);
    const open = parts.filter(({ state }) => state !== 'DONE' && state !== 'ASKED');
    if (parts.length === 0) return { skipped: true };
    for (const part of open) await promotePart(deps, c, part);
    return { message: { code: 'PartsDone', context: { names: parts.map(({ name }) => name).join(', ') } } };
  },
});

export const promotionPipeline = (deps: Deps): PipelineDefinition<PromotionInput, object> =>
  definePipeline({
    type: 'PromoteApplication',
    steps: steps.map(([kind, code]) => stepFor(deps, kind, code)),
  });
