/** What creating, changing and deleting a team does outside its row: today the directory is our own table, so one step each. */
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { definePipeline, StepFailure, type PipelineDefinition } from '#modules/pipelines/index.ts';

export interface TeamInput {
  readonly team: string;
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

export const teamPipelines = (db: Db): TeamPipelines => ({
  create: definePipeline<TeamInput, object>({
    type: 'CreateTeam',
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
  }),
  update: definePipeline<TeamInput, object>({
    type: 'UpdateTeam',
    steps: [{ code: 'UpdateTeam', run: ({ input }) => setState(db, input.team, 'ACTIVE') }],
  }),
  remove: definePipeline<TeamInput, object>({
    type: 'DeleteTeam',
    steps: [
      {
        code: 'DeleteTeam',
        isPointOfNoReturn: true,
        run: async ({ input }) => {
          const app = await db.selectFrom('app').select('id').where('team_id', '=', input.team).executeTakeFirst();
          if (app) throw new StepFailure('TeamExistingApplications', { team: input.team });
          await db.deleteFrom('team').where('id', '=', input.team).execute();
          await notifyChange(db, { kind: 'team', team: input.team });
        },
        undo: ({ input }) => setState(db, input.team, 'ACTIVE'),
      },
    ],
  }),
});
