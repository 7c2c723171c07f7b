/** One topic: overview, messages, access, settings, and activity. */
import { subjectKey } from '@slipway/contract/kinds.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { topicView, type Topic } from '@slipway/contract/streaming/topic.ts';
import { lazy, Suspense } from 'react';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { paths, type TopicTab } from '#entities/paths.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { EntityPage, type Tabs } from '#entities/resource/EntityPage.tsx';
import { entityRoute, type EntityScreenProps } from '#entities/resource/entity-route.tsx';
import { observedMs, type TopicPlace } from '#features/streaming/use-place.ts';
import { AccessTab } from './AccessTab.tsx';
import { TopicHeader } from './TopicHeader.tsx';
import { TopicNotices } from './TopicNotices.tsx';
import { TopicOverview } from './TopicOverview.tsx';
import { useTopicRequests } from './use-topic-requests.ts';
import { NextSteps } from './NextSteps.tsx';

const MessagesTab = lazy(() => import('#features/streaming/messages/MessagesTab.tsx'));
const TopicSettings = lazy(() => import('./TopicSettings.tsx'));

const tabs: Tabs<TopicTab> = [
  ['overview', 'Overview'],
  ['messages', 'Messages'],
  ['access', 'Access'],
  ['settings', 'Settings'],
  ['activity-logs', 'Activity logs'],
];

type ScreenProps = EntityScreenProps<TopicPlace, Topic, TopicTab>;

/** Polls, because a topic's state on the cluster changes without a change event. */
export const { Component, preload } = entityRoute({
  kind: topicKind,
  route: topicView,
  query: { pollMs: observedMs, isAlwaysPolled: true },
  tabs,
  Screen: TopicScreen,
});

function TopicScreen(props: ScreenProps) {
  const { place, at, tab, entity: topic } = props;
  const waiting = useTopicRequests(place, topic, at.isMember === true).data?.totalElements ?? 0;
  const isThere = topic === undefined || topic.state === 'ACTIVE';
  return (
    <EntityPage
      noun="Topic"
      title={[place.topic, place.app, place.env]}
      tabs={tabs}
      tab={tab}
      hrefOf={(name) => paths.topic(place, name)}
      counts={waiting > 0 ? { access: { count: waiting, countKind: 'request' } } : {}}
      header={<TopicHeader place={place} topic={topic} isMember={at.isMember === true} team={at.team} />}
      bar={
        <EntityBar
          env={place.env}
          hrefOf={(env) => (env === place.env ? paths.topic(place, tab) : paths.events({ app: place.app, env }))}
          pipelineId={topic?.pipelineId}
        />
      }
    >
      {topic && <TopicNotices place={place} topic={topic} team={at.team} isMember={at.isMember === true} />}
      {topic && isThere && at.isMember && <NextSteps place={place} topicName={topic.topicName} />}
      {(isThere || tab === 'activity-logs') && <Content {...props} />}
    </EntityPage>
  );
}

function Content({ place, at, tab, entity: topic }: ScreenProps) {
  switch (tab) {
    case 'overview':
      return <TopicOverview place={place} topic={topic} at={at} />;
    case 'messages':
      return (
        <Suspense fallback={null}>
          {topic && <MessagesTab place={place} topic={topic} isMember={at.isMember} team={at.team} noRight={at.noRight} />}
        </Suspense>
      );
    case 'access':
      return <AccessTab place={place} isMember={at.isMember} noRight={at.noRight} />;
    case 'settings':
      return <Suspense fallback={null}>{topic && <TopicSettings place={place} topic={topic} team={at.team} />}</Suspense>;
    case 'activity-logs':
      return (
        <ActivityPanel
          scope={{ app: place.app, env: place.env, subject: subjectKey({ kind: topicKind.kind, names: { ...place } }) }}
          noRight={at.noRight}
        />
      );
  }
}
