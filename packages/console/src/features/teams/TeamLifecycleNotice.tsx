/** What a person must know about a team first: it is being made, it was not made, or it goes away. */
import { pipelineFailureTitle, pipelineList, pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/steps.ts';
import { teamDelete, type Team } from '@slipway/contract/team.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { Notice } from '@slipway/ui/Notice.tsx';
import { toast } from '@slipway/ui/toast.ts';
import { WhyCard } from '@slipway/ui/WhyCard.tsx';
import { useNavigate } from 'react-router';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { progressText } from '#entities/pipeline/pipeline-progress.ts';

const newest = { page: 0, size: 1 };

export function TeamLifecycleNotice({ team }: { team: Team }) {
  const isMoving = team.state !== 'ACTIVE';
  const { data } = useQuery(pipelineList, isMoving && { query: { team: team.id, ...newest } }, { pollMs: 1000 });
  const run = data?.content[0];
  if (team.state === 'CREATING') return <Notice tone="run">This team is being created{run ? `: ${progressText(run)}.` : '.'}</Notice>;
  if (team.state === 'DELETING') return <Notice tone="run">This team is being deleted. The page goes away with it.</Notice>;
  return team.state === 'NOT_CREATED' ? <NotCreated team={team} run={run} /> : null;
}

function NotCreated({ team, run }: { team: Team; run: PipelineRun | undefined }) {
  const rerun = useWrite(pipelineRerun);
  const discard = useWrite(teamDelete);
  const navigate = useNavigate();
  const failed = run?.status.steps.find((step) => step.state === 'FAILED');
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      reportError(error);
    }
  };
  const discardTeam = async (): Promise<void> => {
    await discard.send({ params: { team: team.id } });
    toast.success(`${team.displayName} is being discarded`);
    await navigate(paths.myTeams());
  };
  const context = { team: team.displayName };
  return (
    <WhyCard
      title={pipelineFailureTitle(run)}
      seen={[{ tone: 'ok', text: 'Doing nothing is safe.' }]}
      actions={
        <>
          <Button
            variant="primary"
            isBusy={rerun.isBusy}
            busyLabel="Starting"
            disabledReason={reasonOf(run?.can, 'rerun', context)}
            onClick={() => {
              if (run) void attempt(() => rerun.send({ params: { pipelineId: run.pipelineId }, body: { from: 'failedStep' } }));
            }}
          >
            Re-run
          </Button>
          <Button isBusy={discard.isBusy} disabledReason={reasonOf(team.can, 'delete', context)} onClick={() => void attempt(discardTeam)}>
            Discard
          </Button>
        </>
      }
    >
      <p>{(failed && stepMessageOf(failed.code, failed.message)) || 'The team was not created.'}</p>
    </WhyCard>
  );
}
