/** "Why is it failing?": one sentence, what was seen, the last log lines, and the one filled button on the next step. */
import { troubleNext, troubleSentence, type Trouble } from '@slipway/contract/trouble.ts';
import { LinkButton } from '@slipway/ui/LinkButton.tsx';
import { RelativeTime } from '@slipway/ui/RelativeTime.tsx';
import { WhyCard } from '@slipway/ui/WhyCard.tsx';
import { paths } from '#entities/paths.ts';
import { lastLines, lastLinesTitle } from './LastLines.tsx';
import { logHref, troubleHelp, troubleSeen, troubleTitle, type RevisionRef } from './trouble-words.ts';

export interface TroubleCardProps {
  place: RevisionRef;
  trouble: Trouble;
  /** On the revision's own page there is no way to it. */
  isOnPage?: boolean;
}

export function TroubleCard({ place, trouble, isOnPage = false }: TroubleCardProps) {
  const help = troubleHelp(trouble, place);
  const hasLog = trouble.evidence.lastLines.length > 0 && trouble.next.place !== 'logs';
  return (
    <WhyCard
      title={troubleTitle(trouble, place.revision)}
      seen={[
        ...troubleSeen(trouble, place.revision, troubleSentence(trouble)),
        {
          tone: 'off',
          text: (
            <>
              First seen <RelativeTime at={trouble.since} isFocusable />
            </>
          ),
        },
      ]}
      changed={lastLines(trouble, place)}
      changedTitle={lastLinesTitle}
      actions={
        <>
          <p>{troubleNext(trouble)}</p>
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
      <p>{troubleSentence(trouble)}</p>
    </WhyCard>
  );
}
