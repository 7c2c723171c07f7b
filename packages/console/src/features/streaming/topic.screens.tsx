/** Registers the screens of topics. Their list is part of the app page, which the shell registers. */
import { topicKind } from '@slipway/contract/streaming/topic.kind.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { Waves } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

const page = () => import('./topic/TopicPage.tsx');
const create = () => import('./topic-form/NewTopicPage.tsx');

export const topicScreens = resourceScreens<Topic>({
  kind: topicKind,
  list: async () => (await import('@slipway/contract/streaming/topic.ts')).topicList,
  icon: <Waves aria-hidden="true" />,
  load: async () => ({
    ListPage: (await import('./lists/TopicsList.tsx')).Component,
    NewPage: (await create()).Component,
    Page: (await page()).Component,
  }),
  nameOf: ({ name }) => ({ name, title: name }),
  routes: [
    { path: 'app/:app/:env/events-processing/create-stream', lazy: () => import('./stream-form/NewStreamPage.tsx') },
    { path: 'app/:app/:env/events-processing/create-topic', lazy: create },
    { path: 'app/:app/:env/events-processing/topics/:topic', lazy: page },
    { path: 'app/:app/:env/events-processing/topics/:topic/:tab', lazy: page },
    { path: 'app/:app/:env/events-processing/topics/:topic/promotion', lazy: () => import('./promotion/TopicPromotionPage.tsx') },
  ],
  // The app's own pages offer these, subject to permission.
  pages: () => [],
  actions: () => [],
});
