/** The pipeline of a stream: creates schema, topic and account one after the other, and activates them together at the end. */
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, StepFailure, type PipelineDefinition, type StepContext, type StepDefinition } from '#modules/pipelines/index.ts';
import { createStepsWithin, giveBackWithin, pipelineOf, setEntity, whileCurrent } from '#modules/resources/index.ts';
import { applyRules } from '../accounts/access-rules.ts';
import type { AccountDeps, AccountRow } from '../accounts/account-rows.ts';
import { appliedMessage } from '../accounts/account-steps.ts';
import { topicRow } from '../topics/topic-rows.ts';
import { joinedNames, madeNames, madeParts, reserveParts, type PartName, type StreamEntities, type StreamInput } from './stream-parts.ts';

export const streamType = 'CreateStream';
export interface StreamPipelineDeps extends AccountDeps {
  readonly entities: StreamEntities;
}
type Step = StepDefinition<StreamInput, object>;
type Context = StepContext<StreamInput, object>;

/** Reserves the names again on a rerun. In the first run, the request has already done it. */
const reserveStep = ({ db, entities }: StreamPipelineDeps): Step => ({
  code: 'ReserveNames',
  run: async ({ input, pipelineId, createdBy }) => {
    try {
      const by = { ...createdBy, origin: 'console' } as const;
      await transaction(db, (trx) => reserveParts({ trx, entities, input, by, pipelineId }));
    } catch (error) {
      if (error instanceof Problem) throw new StepFailure('NameTaken', { reason: error.message }, { cause: error });
      throw error;
    }
  },
  undo: ({ input, pipelineId, runId }) => transaction(db, (trx) => giveBackWithin(trx, madeParts(entities, input), { pipelineId, runId })),
});

const partSteps = ({ db, entities }: StreamPipelineDeps, part: PartName): Step[] =>
  createStepsWithin<StreamInput>(db, entities[part], (input) => madeNames(part, input));

/** Applies the rules of an existing account after its grants changed, both in run and undo. */
const joinStep = (deps: StreamPipelineDeps): Step =>
  whileCurrent<StreamInput, AccountRow>(
    deps.db,
    deps.entities.account,
    (input) => joinedNames(input) ?? {},
  )({
    code: 'ApplyAccessRules',
    run: async ({ row }) => ({ message: appliedMessage(await applyRules(deps, row)) }),
    undo: async ({ row, input }) => {
      const topic = await topicRow(deps.db, { ...madeNames('topic', input) });
      if (!topic) return;
      await deps.db.deleteFrom('topic_grant').where('account_id', '=', row.id).where('topic_id', '=', topic.id).execute();
      await applyRules(deps, row);
    },
  });
const accountSteps = (deps: StreamPipelineDeps): Step[] => {
  const joining = joinStep(deps);
  return partSteps(deps, 'account').map((making) => {
    if (making.code !== joining.code) return making;
    const stepFor = ({ input }: Context): Step => (joinedNames(input) ? joining : making);
    return {
      code: making.code,
      run: (context) => stepFor(context).run(context),
      undo: async (context) => stepFor(context).undo?.(context),
    };
  });
};

/** Activates all parts together, so that nobody uses a schema whose topic may still fail. From here on the run cannot be cancelled. */
const activateStep = ({ db, entities }: StreamPipelineDeps): Step => {
  const setParts = ({ input, pipelineId }: Context, state: string, otherwise: () => void) =>
    transaction(db, async (trx) => {
      for (const { entity, names } of madeParts(entities, input)) {
        if ((await pipelineOf(trx, entity, names)) === pipelineId) await setEntity(trx, entity, names, { state });
        else otherwise();
      }
    });
  return {
    code: streamType,
    isPointOfNoReturn: true,
    run: async (context) => {
      await setParts(context, 'ACTIVE', () => {
        throw new StepFailure('Discarded');
      });
      context.log(`The stream ${context.input.topic} is there`);
    },
    undo: (context) => setParts(context, 'NOT_CREATED', () => {}),
  };
};

/** `stepsWithout` returns the steps that do nothing for the input. */
export const streamPipeline = (deps: StreamPipelineDeps) => {
  const schema = partSteps(deps, 'schema');
  const account = accountSteps(deps);
  const definition: PipelineDefinition<StreamInput, object> = definePipeline({
    type: streamType,
    steps: [reserveStep(deps), ...schema, ...partSteps(deps, 'topic'), ...account, activateStep(deps)],
    // Also runs for a run that was cancelled before its first step, when no undo runs.
    onFinished: async (trx, run) => {
      if (run.outcome !== 'COMPLETED') await giveBackWithin(trx, madeParts(deps.entities, run.input), run);
      await recordRunOutcome(trx, streamType, run);
    },
  });
  const stepsWithout = (input: StreamInput): string[] => {
    const isIdle = ({ code }: Step): boolean => {
      if (schema.some((step) => step.code === code)) return !input.wish.schema;
      if (!account.some((step) => step.code === code)) return false;
      return joinedNames(input) ? code !== 'ApplyAccessRules' : !input.wish.account;
    };
    return definition.steps.filter(isIdle).map(({ code }) => code);
  };
  return { definition, stepsWithout };
};
