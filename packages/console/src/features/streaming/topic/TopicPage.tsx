/** One topic: overview, messages, access, settings, and activity. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import { topicKind } from '@slipway/contract/streaming/topic.kind.ts';
import { topicView, type Topic } from '@slipway/contract/streaming/topic.ts';
import { lazy, Suspense } from 'react';
import { useParams, type Params } from 'react-router';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths, type TopicTab } from '#entities/paths.ts';
import { EntityPage, MissingTab, tabAt, type Tabs } from '#entities/resource/EntityPage.tsx';
import type { AppPlace } from '#entities/team/use-app-place.ts';
import { preloadQuery } from '#kit/api/query.ts';
import { EventsWaterline } from '#features/streaming/EventsWaterline.tsx';
import { AccessTab } from './AccessTab.tsx';
import { TopicHeader } from './TopicHeader.tsx';
import { TopicNotices } from './TopicNotices.tsx';
import { TopicOverview } from './TopicOverview.tsx';
import { useTopicRequests } from './use-topic-requests.ts';
import { useTopic, type TopicPlace } from './use-topic.ts';
import { WhatNow } from './WhatNow.tsx';

const MessagesTab = lazy(() => import('#features/streaming/messages/MessagesTab.tsx'));
const TopicSettings = lazy(() => import('./TopicSettings.tsx'));

const tabs: Tabs<TopicTab> = [
  ['overview', 'Overview'],
  ['messages', 'Messages'],
  ['access', 'Access'],
  ['settings', 'Settings'],
  ['activity-logs', 'Activity logs'],
];

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env: segment = '', topic = '' }: Params): void => {
  const env = environmentOf(segment);
  if (env !== undefined) preloadQuery(topicView, { params: { app, env, topic } });
};

export function Component() {
  const { tab: word } = useParams();
  const { at, place, query, topic } = useTopic();
  const tab = tabAt(tabs, word);
  if (place === undefined) return <NotFound />;
  if (query.error && !topic) return <PageError what={`topic ${place.topic}`} query={query} />;
  if (tab === undefined) return <MissingTab noun="Topic" name={place.topic} segment={word} href={paths.topic(place)} />;
  return <TopicScreen key={`${place.env}/${place.topic}`} place={place} at={at} tab={tab} topic={topic} />;
}

interface ScreenProps {
  place: TopicPlace;
  at: AppPlace;
  tab: TopicTab;
  topic: Topic | undefined;
}

function TopicScreen(props: ScreenProps) {
  const { place, at, tab, topic } = props;
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
        <EventsWaterline
          env={place.env}
          hrefOf={(env) => (env === place.env ? paths.topic(place, tab) : paths.events({ app: place.app, env }))}
          pipelineId={topic?.pipelineId}
        />
      }
    >
      {topic && <TopicNotices place={place} topic={topic} team={at.team} isMember={at.isMember === true} />}
      {topic && isThere && at.isMember && <WhatNow place={place} topicName={topic.topicName} />}
      {(isThere || tab === 'activity-logs') && <Content {...props} />}
    </EntityPage>
  );
}

function Content({ place, at, tab, topic }: ScreenProps) {
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
