/** The card over a failed pipeline: the cause, what is safe, and the one filled button on what helps. */
import { pipelineFailureTitle, type PipelineRun } from '@slipway/contract/pipeline.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { LinkButton } from '@slipway/ui/LinkButton.tsx';
import { WhyCard } from '@slipway/ui/WhyCard.tsx';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { reasonOf } from './messages.ts';
import { failedStepOf, failureHelp, failureSeen, failureSentence, isUndoing } from './pipeline-failure.ts';
import { usePipelineDeeds } from './use-pipeline-run.ts';

export interface PipelineFailureProps {
  run: PipelineRun;
  /** The revision that takes the traffic now, if the run is about a service that has one. */
  serving?: string | null;
  /** Name of the team, for reasons. */
  team?: string;
  /** Further deeds, after Re-run: discard, back to the form. */
  children?: ReactNode;
  /** The deed that helps most, where this page has it itself: in the place of the way to another page. */
  main?: ReactNode;
}

export function PipelineFailure({ run, serving = null, team = '', children, main }: PipelineFailureProps) {
  const deeds = usePipelineDeeds(run.pipelineId);
  const help = main === undefined ? failureHelp(run) : undefined;
  const step = failedStepOf(run);
  const reason = isUndoing(run) ? 'What the pipeline had made is still being removed' : reasonOf(run.can, 'rerun', { team });
  return (
    <WhyCard
      title={pipelineFailureTitle(run)}
      seen={failureSeen(run, serving)}
      changed={changesOf(run, step?.code)}
      changedTitle="What it worked with"
      actions={
        <>
          {main}
          {help && (
            <LinkButton variant="primary" href={help.href}>
              {help.label}
            </LinkButton>
          )}
          <Button
            variant={help || main ? 'default' : 'primary'}
            icon={<RotateCw aria-hidden="true" />}
            isBusy={deeds.isRerunning}
            busyLabel="Starting"
            disabledReason={reason}
            onClick={() => void deeds.rerun('failedStep')}
          >
            {step ? `Re-run from ${step.name}` : 'Re-run'}
          </Button>
          {children}
        </>
      }
    >
      <p>{failureSentence(run)}</p>
    </WhyCard>
  );
}

const buildSteps: ReadonlySet<string | undefined> = new Set(['BuildImage', 'ReadSource']);

const changesOf = ({ facts }: PipelineRun, step: string | undefined): ReactNode[] => [
  ...(facts['imageTag']
    ? [
        <>
          Image tag <code>{facts['imageTag']}</code>
        </>,
      ]
    : []),
  ...(facts['commit']
    ? [
        <>
          Commit <code>{facts['commit']}</code>
          {facts['commitMessage'] && <> “{facts['commitMessage']}”</>}
        </>,
      ]
    : []),
  ...(facts['template']
    ? [
        <>
          Template <code>{facts['template']}</code>
        </>,
      ]
    : []),
  ...(buildSteps.has(step) && facts['commit'] && !facts['template']
    ? ['A fix needs no re-run: commit and push it, and the push starts a new pipeline.']
    : []),
];
