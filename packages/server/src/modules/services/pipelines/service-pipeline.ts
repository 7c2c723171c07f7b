/**
 * A service's pipeline is a table: what each step does, what takes it back, and what it applies to. The plan that people see and the
 * run that they start read the same table, so that they name the same steps.
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
import { serviceKind } from '@slipway/contract/service/service.kind.ts';
import { hint } from './rollout.sql.ts';
import { serviceById, type ServiceKey, type ServiceRef } from '../services.sql.ts';

export interface ServiceContext<I extends ServiceKey, S extends object> extends StepContext<I, S> {
  /** By its row: when it was deleted and its name given again, steps find nothing, and leave the other one alone. */
  readonly service: ServiceRef;
}

export interface StepRow<I extends ServiceKey, S extends object, Impact> {
  readonly code: string;
  /** Whether there is something to do; left out: always. */
  when?(impact: Impact): boolean;
  // oxlint-disable-next-line typescript/no-invalid-void-type -- a step may answer nothing
  run(c: ServiceContext<I, S>): Promise<StepResult<S> | void>;
  undo?(c: ServiceContext<I, S>): Promise<void>;
  readonly isPointOfNoReturn?: boolean;
}

/** `Impact`: what a request of the pipeline's kind does to the service, as far as steps depend on it. */
export interface ServiceTable<I extends ServiceKey, S extends object, Impact> {
  readonly type: string;
  readonly steps: readonly StepRow<I, S, Impact>[];
  /** In the run, asked by each step that has a `when`. */
  impactIn(c: ServiceContext<I, S>): Promise<Impact> | Impact;
  readonly onFinished?: PipelineDefinition<I, S>['onFinished'];
}
export interface ServicePipeline<I extends ServiceKey, S extends object, Impact> extends PipelineDefinition<I, S> {
  /** The codes of the steps that such a request goes through. */
  stepsFor(impact: Impact): string[];
}

export const serviceOf = ({ input, ids }: Pick<FinishedRun<ServiceKey, object>, 'input' | 'ids'>): ServiceRef => ({
  app: input.app,
  environment: input.environment,
  service: input.service,
  // Without one it was made and deleted before rows were noted: nothing is found.
  id: ids[serviceKind.kind] ?? '',
});

export const servicePipeline = <I extends ServiceKey, S extends object, Impact>(
  table: ServiceTable<I, S, Impact>,
): ServicePipeline<I, S, Impact> => ({
  ...definePipeline<I, S>({
    type: table.type,
    steps: table.steps.map((row) => stepOf(table, row)),
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

/** Throws Discarded when the service is gone, whatever has its name by now. */
export const requireRow = async (db: Db, { id }: Pick<ServiceRef, 'id'>) => {
  const row = await serviceById(db, id);
  if (!row) throw new StepFailure('Discarded');
  return row;
};

/** How a service's pipeline ended, in the activity log: in the transaction that ends the run. */
export const recordOutcome =
  <I extends ServiceKey, S extends object>(what: string): NonNullable<PipelineDefinition<I, S>['onFinished']> =>
  async (trx, run) => {
    await recordRunOutcome(trx, what, run);
    await hint(trx, run.input);
  };
