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
  /** Leaves out the way to another page, where this page is that way. */
  hasHelp?: boolean;
}

export function PipelineFailure({ run, serving = null, team = '', children, hasHelp = true }: PipelineFailureProps) {
  const deeds = usePipelineDeeds(run.pipelineId);
  const help = hasHelp ? failureHelp(run) : undefined;
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
          {help && (
            <LinkButton variant="primary" href={help.href}>
              {help.label}
            </LinkButton>
          )}
          <Button
            variant={help ? 'default' : 'primary'}
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
