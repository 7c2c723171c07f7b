/** Registers the screens of topics. Their list is part of the app page, which the shell registers. */
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { Waves } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

export const topicScreens = resourceScreens<Topic>({
  kind: topicKind,
  list: async () => (await import('@slipway/contract/streaming/topic.ts')).topicList,
  icon: <Waves aria-hidden="true" />,
  newPage: () => import('./topic-form/NewTopicPage.tsx'),
  page: () => import('./topic/TopicPage.tsx'),
  hasTabs: true,
  nameOf: ({ name }) => ({ name, title: name }),
  moreRoutes: [
    { path: 'app/:app/:env/events-processing/create-stream', lazy: () => import('./stream-form/NewStreamPage.tsx') },
    { path: 'app/:app/:env/events-processing/topics/:topic/promotion', lazy: () => import('./promotion/TopicPromotionPage.tsx') },
  ],
});
