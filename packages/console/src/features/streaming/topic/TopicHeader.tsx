/** The header of a topic: name on the cluster, classification, sharing, retention, and actions. */
import { topicFieldsView } from '@slipway/contract/streaming/message.ts';
import { classificationLabels, isMasked, type DataClassification } from '@slipway/contract/streaming/streaming.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { CircleArrowUp, Plug, Trash2 } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { keptLabel, topicLook } from '#features/streaming/streaming-labels.ts';
import { useEngineQuery, useIsAway, type TopicPlace } from '#features/streaming/use-place.ts';
import { OutsideLink } from '#features/streaming/parts/OutsideLink.tsx';
import { useTopicRemoval } from './use-topic-removal.ts';

export interface TopicHeaderProps {
  place: TopicPlace;
  topic: Topic | undefined;
  isMember: boolean;
  team: string;
}

export function TopicHeader({ place, topic, isMember, team }: TopicHeaderProps) {
  const isAway = useIsAway(place, 'cluster', 'registry');
  const look = topic && topicLook(topic, isAway);
  const fields = useEngineQuery(place, topicFieldsView, topic?.state === 'ACTIVE' && { params: { ...place } }, { pollMs: 0 });
  const masked = [...(fields.data?.key ?? []), ...(fields.data?.value ?? [])].filter(({ isMasked }) => isMasked).length;
  return (
    <PageHeader
      typeLabel="Topic"
      name={topic?.name ?? place.topic}
      copyText={topic?.name ?? place.topic}
      status={look && <Badge tone={look.tone}>{look.word}</Badge>}
      isLoading={!topic}
      actions={topic && <Actions place={place} topic={topic} isMember={isMember} team={team} />}
    >
      <Details items={topic ? detailsOf(topic, masked) : waiting} />
    </PageHeader>
  );
}

function Actions({ place, topic, isMember, team }: TopicHeaderProps & { topic: Topic }) {
  const { remove, isKnown } = useTopicRemoval(place, topic, isMember);
  return (
    <>
      {isMember && (
        <Button
          icon={<Trash2 aria-hidden="true" />}
          disabledReason={reasonOf(topic.can, 'delete', { team }) ?? (isKnown ? undefined : 'Looking who uses it')}
          onClick={() => confirmAction(remove)}
        >
          Delete topic
        </Button>
      )}
      {isMember && topic.state === 'ACTIVE' && place.env === 'development' && (
        <LinkButton href={paths.promotion({ ...place, kind: 'topics', name: topic.name })} icon={<CircleArrowUp aria-hidden="true" />}>
          Promote to production
        </LinkButton>
      )}
      {isMember && topic.state === 'ACTIVE' && (
        <LinkButton href={`${paths.newAccount(place)}?topic=${encodeURIComponent(topic.id)}`} icon={<Plug aria-hidden="true" />}>
          Connect an account
        </LinkButton>
      )}
    </>
  );
}

const waiting: Detail[] = [
  { label: 'Name on the cluster', value: <Skeleton width={180} /> },
  { label: 'Classification', value: <Skeleton width={90} /> },
  { label: 'Sharing', value: <Skeleton width={110} /> },
  { label: 'Kept', value: <Skeleton width={80} /> },
  { label: 'Last change', value: <Skeleton width={140} />, isWideOnly: true },
];

/** Fields may have a stricter classification than their topic. */
const classLabel = (classification: DataClassification, masked: number): string =>
  classificationLabels[classification] + (masked > 0 && !isMasked(classification) ? `, ${count(masked, 'field')} masked` : '');

const detailsOf = ({ topicName, spec, updatedBy, updatedAt, externalLink }: Topic, masked: number): Detail[] => [
  { label: 'Name on the cluster', value: <code>{topicName}</code>, copyText: topicName },
  { label: 'Classification', value: classLabel(spec.dataSecurityClassification, masked) },
  { label: 'Sharing', value: spec.isSharable ? 'Any app may ask' : 'Own team only' },
  { label: 'Kept', value: spec.cleanupPolicy === 'COMPACT' ? 'Newest of each key' : `${keptLabel(spec)}, then deleted` },
  {
    label: 'Last change',
    value: (
      <span>
        {updatedBy.displayName}, <RelativeTime at={updatedAt} isShort />
      </span>
    ),
    isWideOnly: true,
  },
  ...(externalLink === null ? [] : [{ label: 'Kafka console', value: <OutsideLink href={externalLink} /> }]),
];
