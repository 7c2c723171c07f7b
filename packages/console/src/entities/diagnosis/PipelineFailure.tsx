/** The card above a failed pipeline: the cause, what is safe, and a primary button for the best next step. */
import { pipelineFailureTitle, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { WhyCard } from '@slipway/ui/feedback/WhyCard.tsx';
import { nextStepOf, diagnosisSentence } from '@slipway/contract/service/diagnosis.ts';
import type { ReactNode } from 'react';
import { failureHelp, failureSeen, failureSentence, failureText, fixHref, fixingHelp, startedRevision } from './pipeline-failure.ts';
import { changedColumn } from './ChangedList.tsx';
import { lastLines } from './LastLines.tsx';
import { useRevisionChanges } from './revision-changes.ts';
import { pushedNext, SourceDiff } from './SourceDiff.tsx';
import { diagnosisHelp, diagnosisSeen } from './diagnosis-labels.ts';
import { useDiagnosis } from './use-diagnosis.ts';
import { failedStepOf, RerunButton } from '#entities/pipeline/index.ts';

export interface PipelineFailureProps {
  run: PipelineRun;
  /** Revision that receives the traffic now, if the run is about a service that has one. */
  serving?: string | null;
  /** Name of the team, for the reasons of disabled controls. */
  team?: string;
  /** Additional actions after Re-run: discard, back to the form. */
  children?: ReactNode;
  /** Replaces the link to the next step, if the page itself has the best action. */
  main?: ReactNode;
}

export function PipelineFailure({ run, serving = null, team = '', children, main }: PipelineFailureProps) {
  const revision = startedRevision(run);
  // The diagnosis of the revision that did not start tells more than the step's error message.
  const { diagnosis } = useDiagnosis(revision);
  const step = failedStepOf(run);
  const fix = fixHref(run);
  const better = diagnosis && revision ? diagnosisHelp(diagnosis, revision, fix !== undefined) : undefined;
  const help = main === undefined ? fixingHelp(better ?? failureHelp(run), fix) : undefined;
  const lines = diagnosis && revision ? lastLines(diagnosis, revision) : [];
  const changes = useRevisionChanges(revision, serving);
  const source = changes?.source && changes.source.commitCount > 0 ? changes.source : undefined;
  const isPushed = source !== undefined && main === undefined;
  return (
    <WhyCard
      title={pipelineFailureTitle(run)}
      seen={[
        ...(diagnosis ? diagnosisSeen({ ...diagnosis, stillServing: null }, revision?.revision ?? '', failureSentence(run)) : []),
        ...failureSeen(run, serving),
      ]}
      {...(changes ? {} : { changed: changesOf(run, step?.code), changedTitle: 'What it worked with' })}
      {...changedColumn(changes, lines)}
      actions={
        <>
          {diagnosis && help && <p>{isPushed ? pushedNext : nextStepOf(diagnosis)}</p>}
          {main}
          {isPushed && changes && <SourceDiff since={changes.since} source={source} variant="primary" />}
          {help && (
            <LinkButton variant={isPushed ? 'default' : 'primary'} href={help.href}>
              {help.label}
            </LinkButton>
          )}
          <RerunButton run={run} team={team} variant={help || main || isPushed ? 'default' : 'primary'}>
            {step ? `Re-run from ${step.name}` : 'Re-run'}
          </RerunButton>
          {fix !== undefined && !help?.href.startsWith(fix) && <LinkButton href={fix}>Fix the settings</LinkButton>}
          {children}
        </>
      }
    >
      <p>{failureText(run)}</p>
      {diagnosis && diagnosis.code !== step?.message?.code && <p>{diagnosisSentence(diagnosis, true)}</p>}
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
