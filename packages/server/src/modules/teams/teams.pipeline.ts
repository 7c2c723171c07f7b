/** What creating, changing and deleting a team does outside its row: today the directory is our own table, so one step each. */
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, StepFailure, type FinishedRun, type PipelineDefinition } from '#modules/pipelines/index.ts';
import { lockTeam } from './teams.sql.ts';

export interface TeamInput {
  readonly team: string;
  /** The state that a run which comes to nothing leaves behind. */
  readonly stateBefore: string;
}
export interface TeamPipelines {
  readonly create: PipelineDefinition<TeamInput, object>;
  readonly update: PipelineDefinition<TeamInput, object>;
  readonly remove: PipelineDefinition<TeamInput, object>;
}

const setState = async (db: Db, team: string, state: string): Promise<void> => {
  await db.updateTable('team').set({ state }).where('id', '=', team).execute();
  await notifyChange(db, { kind: 'team', team });
};

/** Also for a run that was cancelled before its first step, which no undo hears of. */
const finished =
  (type: string): NonNullable<TeamPipelines['create']['onFinished']> =>
  async (trx, run: FinishedRun<TeamInput, object>) => {
    if (run.outcome !== 'COMPLETED') await setState(trx, run.input.team, run.input.stateBefore);
    await recordRunOutcome(trx, type, run);
  };

export const teamPipelines = (db: Db): TeamPipelines => ({
  create: definePipeline<TeamInput, object>({
    type: 'CreateTeam',
    // A team that could not be created has no owner: whoever asked for it stands in.
    rights: { role: 'owner', isStartersToo: true },
    steps: [
      {
        code: 'CreateTeam',
        run: async ({ input, log }) => {
          await setState(db, input.team, 'ACTIVE');
          log(`The team ${input.team} is there`);
        },
        undo: ({ input }) => setState(db, input.team, 'NOT_CREATED'),
      },
    ],
    onFinished: finished('CreateTeam'),
  }),
  update: definePipeline<TeamInput, object>({
    type: 'UpdateTeam',
    rights: { role: 'owner' },
    steps: [{ code: 'UpdateTeam', run: ({ input }) => setState(db, input.team, 'ACTIVE') }],
    onFinished: finished('UpdateTeam'),
  }),
  remove: definePipeline<TeamInput, object>({
    type: 'DeleteTeam',
    rights: { role: 'owner' },
    steps: [
      {
        code: 'DeleteTeam',
        isPointOfNoReturn: true,
        run: ({ input }) =>
          transaction(db, async (trx) => {
            await lockTeam(trx, input.team);
            const app = await trx.selectFrom('app').select('id').where('team_id', '=', input.team).executeTakeFirst();
            if (app) throw new StepFailure('TeamExistingApplications', { team: input.team });
            await trx.deleteFrom('team').where('id', '=', input.team).execute();
            await notifyChange(trx, { kind: 'team', team: input.team });
          }),
      },
    ],
    onFinished: finished('DeleteTeam'),
  }),
});
