/** "Why is it failing?": one sentence, what was seen, the last log lines, and the one filled button on the next step. */
import { nextStepOf, diagnosisSentence, type Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { WhyCard } from '@slipway/ui/feedback/WhyCard.tsx';
import { paths } from '#entities/paths.ts';
import { lastLines, lastLinesTitle } from './LastLines.tsx';
import { logHref, diagnosisHelp, diagnosisSeen, diagnosisTitle, type RevisionRef } from './diagnosis-labels.ts';

export interface DiagnosisCardProps {
  place: RevisionRef;
  diagnosis: Diagnosis;
  /** On the revision's own page there is no way to it. */
  isOnPage?: boolean;
}

export function DiagnosisCard({ place, diagnosis, isOnPage = false }: DiagnosisCardProps) {
  const help = diagnosisHelp(diagnosis, place);
  const hasLog = diagnosis.evidence.lastLines.length > 0 && diagnosis.next.place !== 'logs';
  return (
    <WhyCard
      title={diagnosisTitle(diagnosis, place.revision)}
      seen={[
        ...diagnosisSeen(diagnosis, place.revision, diagnosisSentence(diagnosis)),
        {
          tone: 'off',
          text: (
            <>
              First seen <RelativeTime at={diagnosis.since} isFocusable />
            </>
          ),
        },
      ]}
      changed={lastLines(diagnosis, place)}
      changedTitle={lastLinesTitle}
      actions={
        <>
          <p>{nextStepOf(diagnosis)}</p>
          {help && (
            <LinkButton variant="primary" href={help.href}>
              {help.label}
            </LinkButton>
          )}
          {hasLog && <LinkButton href={logHref(place)}>Read its log</LinkButton>}
          {!isOnPage && <LinkButton href={paths.revision(place)}>Revision page</LinkButton>}
        </>
      }
    >
      <p>{diagnosisSentence(diagnosis)}</p>
    </WhyCard>
  );
}
