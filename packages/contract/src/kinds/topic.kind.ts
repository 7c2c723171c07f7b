/** The kind `topic`. Every signed-in identity may read its definition, only the owning team its messages. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const topicKind = declareKind({
  kind: 'topic',
  label: 'Topic',
  plural: 'Topics',
  under: appKind,
  names: ['env', 'topic'],
  access: 'signedIn',
  shownBy: ['topic', 'appMap'],
  path: '/app/{app}/{env}/events-processing/topics/{topic}',
  listPath: '/app/{app}/{env}/events-processing/topics',
  newPath: '/app/{app}/{env}/events-processing/create-topic',
  pipelines: {
    CreateTopic: 'Create topic',
    CreateStream: 'Create stream',
    UpdateTopic: 'Change topic',
    DeleteTopic: 'Delete topic',
    ReconcileTopic: 'Make topic and cluster match',
  },
});
