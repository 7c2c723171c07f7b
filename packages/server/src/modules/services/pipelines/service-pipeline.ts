/**
 * Defines a service's pipeline as a table: each step's run, undo and condition. Plans and runs read the same table, so their steps agree.
 */
import type { Db } from '#db/database.ts';
import {
  definePipeline,
  StepFailure,
  type FinishedRun,
  type PipelineDefinition,
  type StepContext,
  type StepDefinition,
  type StepResult,
} from '#modules/pipelines/index.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import { refuseUnapprovedRerun } from '../approvals/approval-rule.ts';
import { hint } from './rollout.sql.ts';
import { serviceById, type ServiceKey, type ServiceRef } from '../services.sql.ts';

export interface ServiceContext<I extends ServiceKey, S extends object> extends StepContext<I, S> {
  /** Refers to the service by id. If it was deleted and its name reused, steps don't find the new service and leave it alone. */
  readonly service: ServiceRef;
}

export interface StepRow<I extends ServiceKey, S extends object, Impact> {
  readonly code: string;
  /** Whether the step has something to do. Defaults to always. */
  when?(impact: Impact): boolean;
  // oxlint-disable-next-line typescript/no-invalid-void-type -- a step may answer nothing
  run(c: ServiceContext<I, S>): Promise<StepResult<S> | void>;
  undo?(c: ServiceContext<I, S>): Promise<void>;
  readonly isPointOfNoReturn?: boolean;
}

/** `Impact`: the effects of a request that steps depend on. */
export interface ServiceTable<I extends ServiceKey, S extends object, Impact> {
  readonly type: string;
  readonly steps: readonly StepRow<I, S, Impact>[];
  /** Computes the impact during the run. Called by each step that has a `when`. */
  impactIn(c: ServiceContext<I, S>): Promise<Impact> | Impact;
  readonly onFinished?: PipelineDefinition<I, S>['onFinished'];
}
export interface ServicePipeline<I extends ServiceKey, S extends object, Impact> extends PipelineDefinition<I, S> {
  /** Returns the codes of the steps that a request with this impact executes. */
  stepsFor(impact: Impact): string[];
}

export const serviceOf = ({ input, ids }: Pick<FinishedRun<ServiceKey, object>, 'input' | 'ids'>): ServiceRef => ({
  app: input.app,
  environment: input.environment,
  service: input.service,
  // Runs of older versions have no id. Their service was deleted, so no row matches.
  id: ids[serviceKind.kind] ?? '',
});

export const servicePipeline = <I extends ServiceKey, S extends object, Impact>(
  table: ServiceTable<I, S, Impact>,
): ServicePipeline<I, S, Impact> => ({
  ...definePipeline<I, S>({
    type: table.type,
    steps: table.steps.map((row) => stepOf(table, row)),
    beforeRerun: (trx, run) => refuseUnapprovedRerun(trx, run.input, { ...run, type: table.type }),
    onFinished: table.onFinished ?? recordOutcome(table.type),
  }),
  stepsFor: (impact) => table.steps.filter(({ when }) => when?.(impact) ?? true).map(({ code }) => code),
});

const stepOf = <I extends ServiceKey, S extends object, Impact>(
  { impactIn }: ServiceTable<I, S, Impact>,
  { when, run, undo, ...row }: StepRow<I, S, Impact>,
): StepDefinition<I, S> => ({
  ...row,
  run: async (step) => {
    const c = { ...step, service: serviceOf(step) };
    return when && !when(await impactIn(c)) ? { skipped: true } : run(c);
  },
  ...(undo && { undo: (step: StepContext<I, S>) => undo({ ...step, service: serviceOf(step) }) }),
});

/** Throws Discarded if the service was deleted, even if its name was reused. */
export const requireRow = async (db: Db, { id }: Pick<ServiceRef, 'id'>) => {
  const row = await serviceById(db, id);
  if (!row) throw new StepFailure('Discarded');
  return row;
};

/** Records the outcome in the activity log, in the transaction that ends the run. */
export const recordOutcome =
  <I extends ServiceKey, S extends object>(what: string): NonNullable<PipelineDefinition<I, S>['onFinished']> =>
  async (trx, run) => {
    await recordRunOutcome(trx, what, run);
    await hint(trx, run.input);
  };
