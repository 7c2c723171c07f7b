/** Team-service paths of teams: v2 answers the pipeline run, v1 waits for it. */
import {
  teamCreate,
  teamCreateV1,
  teamDelete,
  teamDeleteV1,
  teamList,
  teamListV1,
  teamUpdate,
  teamUpdateV1,
  teamView,
  teamViewV1,
  type Team,
} from '@slipway/contract/team.ts';
import type { PipelineRun } from '@slipway/contract/pipeline.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { awaitRun, runFor } from '#modules/pipelines/index.ts';
import { createTeam, deleteTeam, updateTeam, type TeamDeps } from './teams.ts';
import { teamById, teamPage } from './teams.sql.ts';

export const teamRoutes = (deps: TeamDeps): Handler[] => {
  const { db } = deps;
  const one = async (id: string, caller: Caller): Promise<Team> => {
    const team = await teamById(db, id, caller);
    if (!team) throw new Problem('TeamDoesNotExist');
    return team;
  };
  /** v1: the team when the pipeline is through in time, else the run with 202 (decisions §11). */
  const waited = async <T>(
    c: { caller: Caller; reply: { status(code: number): unknown } },
    pipelineId: string,
    done: () => Promise<T>,
  ): Promise<T | PipelineRun> => {
    const run = await awaitRun(db, pipelineId, c.caller);
    if (run.status.state === 'COMPLETED') return done();
    c.reply.status(202);
    return run;
  };
  return [
    handle(teamListV1, (c) => teamPage(db, c.query, c.caller)),
    handle(teamList, (c) => teamPage(db, c.query, c.caller)),
    handle(teamViewV1, (c) => one(c.params.team, c.caller)),
    handle(teamView, (c) => one(c.params.team, c.caller)),
    handle(teamCreate, async (c) => runFor(db, await createTeam(deps, c.caller, c.body), c.caller)),
    handle(teamCreateV1, async (c) => waited(c, await createTeam(deps, c.caller, c.body), () => one(c.body.id, c.caller))),
    handle(teamUpdate, async (c) => runFor(db, await updateTeam(deps, c.caller, c.params.team, c.body), c.caller)),
    handle(teamUpdateV1, async (c) =>
      waited(c, await updateTeam(deps, c.caller, c.params.team, c.body), () => one(c.params.team, c.caller)),
    ),
    handle(teamDelete, async (c) => runFor(db, await deleteTeam(deps, c.caller, c.params.team), c.caller)),
    handle(teamDeleteV1, async (c) =>
      waited(c, await deleteTeam(deps, c.caller, c.params.team), async () => {
        c.reply.status(204);
        return null;
      }),
    ),
  ];
};
