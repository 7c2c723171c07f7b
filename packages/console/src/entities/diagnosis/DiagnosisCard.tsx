/** "Why is it failing?": one sentence, the evidence with the last log lines, the changes, and a primary button for the next step. */
import { nextStepOf, diagnosisSentence, type Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { WhyCard } from '@slipway/ui/feedback/WhyCard.tsx';
import { paths } from '#entities/paths.ts';
import { changedColumn } from './ChangedList.tsx';
import { lastLines } from './LastLines.tsx';
import { logHref, diagnosisHelp, diagnosisSeen, diagnosisTitle, type RevisionRef } from './diagnosis-labels.ts';
import { useRevisionChanges } from './revision-changes.ts';
import { pushedNext, SourceDiff } from './SourceDiff.tsx';

export interface DiagnosisCardProps {
  place: RevisionRef;
  diagnosis: Diagnosis;
  /** True on the revision's own page, which needs no link to itself. */
  isOnPage?: boolean;
  /** True if no instance of the revision runs. */
  isOver?: boolean;
}

export function DiagnosisCard({ place, diagnosis, isOnPage = false, isOver = false }: DiagnosisCardProps) {
  const changes = useRevisionChanges(place, diagnosis.stillServing);
  const help = diagnosisHelp(diagnosis, place);
  const hasLog = diagnosis.evidence.lastLines.length > 0 && diagnosis.next.place !== 'logs';
  const isPushed = (changes?.source?.commitCount ?? 0) > 0;
  return (
    <WhyCard
      title={diagnosisTitle(diagnosis, place.revision, isOver)}
      seen={[
        ...diagnosisSeen(diagnosis, place.revision, diagnosisSentence(diagnosis, isOver)),
        {
          tone: 'off',
          text: (
            <>
              First seen <RelativeTime at={diagnosis.since} isFocusable />
            </>
          ),
        },
      ]}
      {...changedColumn(changes, lastLines(diagnosis, place))}
      actions={
        <>
          <p>{isPushed ? pushedNext : nextStepOf(diagnosis)}</p>
          {isPushed && changes?.source && <SourceDiff since={changes.since} source={changes.source} variant="primary" />}
          {help && (
            <LinkButton variant={isPushed ? 'default' : 'primary'} href={help.href}>
              {help.label}
            </LinkButton>
          )}
          {hasLog && <LinkButton href={logHref(place)}>Read its log</LinkButton>}
          {!isOnPage && <LinkButton href={paths.revision(place)}>Revision page</LinkButton>}
        </>
      }
    >
      <p>{diagnosisSentence(diagnosis, isOver)}</p>
    </WhyCard>
  );
}
