/** The most important notices about a topic: creating, changing, failed, or an access request. */
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { EntityNotice } from '#entities/resource/EntityNotice.tsx';
import { grantSentence } from '#entities/streaming/grant-labels.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import type { TopicPlace } from '#features/streaming/use-place.ts';
import { useTopicRemoval } from './use-topic-removal.ts';
import { useTopicRequests } from './use-topic-requests.ts';

export interface TopicNoticesProps {
  place: TopicPlace;
  topic: Topic;
  team: string;
  isMember: boolean;
}

export function TopicNotices({ place, topic, team, isMember }: TopicNoticesProps) {
  const { discard } = useTopicRemoval(place, topic, isMember);
  const requests = useTopicRequests(place, topic, isMember);
  return (
    <>
      <AwayNotice place={place} />
      <EntityNotice showsFailedChange kind={topicKind} names={place} entity={topic} team={team} discard={discard} />
      {(requests.data?.content ?? []).map((grant) => (
        <Notice
          key={grant.id}
          tone="run"
          actions={
            <LinkButton size="sm" href={paths.topicRequest({ ...place, request: grant.id })}>
              Review
            </LinkButton>
          }
        >
          <strong>{grant.account.applicationCode}</strong> {grantSentence(grant)} this topic. {grant.requestedBy.displayName},{' '}
          {grant.account.team.displayName}, <RelativeTime at={grant.requestedAt} />
        </Notice>
      ))}
    </>
  );
}
