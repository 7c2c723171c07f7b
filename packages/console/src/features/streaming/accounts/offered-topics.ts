/** Topics that an account may list: those of its app, and topics shared by other apps. */
import { classificationLabels } from '@slipway/contract/streaming/streaming.ts';
import { grantRule, type TopicOperation } from '@slipway/contract/streaming/grant.ts';
import { topicList, type Topic } from '@slipway/contract/streaming/topic.ts';
import { useState } from 'react';
import { useQuery } from '#kit/api/query.ts';
import type { EventsPlace } from '#features/streaming/use-place.ts';

/** Maximum per search and kind. The server searches, so the user finds other topics by typing. */
const mostOffered = 50;

export interface OfferedTopics {
  /** Matches of the search. */
  readonly found: readonly Topic[];
  readonly isLoading: boolean;
  readonly search: (text: string) => void;
  /** Finds a topic among the matches and the chosen topics. */
  readonly byId: (id: string | null) => Topic | undefined;
  /** Remembers a topic when the search changes. */
  readonly keep: (topic: Topic) => void;
}

export const useOfferedTopics = ({ app, env }: EventsPlace): OfferedTopics => {
  const [text, search] = useState('');
  const [kept, setKept] = useState<readonly Topic[]>([]);
  const words = text.trim();
  const query = { size: mostOffered, readyOnly: 'true', ...(words === '' ? {} : { query: words }) };
  const options = { keepPreviousData: true, pollMs: 0 };
  const own = useQuery(topicList, { params: { app, env }, query: { ...query, owned: 'true' } }, options);
  const shared = useQuery(topicList, { params: { app, env }, query: { ...query, owned: 'false', shared: 'true' } }, options);
  const found = [...(own.data?.content ?? []), ...(shared.data?.content ?? [])];
  return {
    found,
    isLoading: own.isLoading || shared.isLoading,
    search,
    byId: (id) => [...found, ...kept].find((topic) => topic.id === id),
    keep: (topic) => setKept((before) => [...before.filter(({ id }) => id !== topic.id), topic]),
  };
};

/** `team`: the team that owns the account. */
export interface Asking extends EventsPlace {
  team: string | undefined;
}
/** Applies the same rule as the server. */
export const comesTo = ({ app, env, team }: Asking, topic: Topic, operation: TopicOperation): ReturnType<typeof grantRule> => {
  const { dataSecurityClassification: classification, isSharable } = topic.spec;
  const isOwnTeam = topic.applicationCode === app || topic.teamId === team;
  return grantRule({ environment: env, operation, isOwnTeam, isSharable, classification });
};
/** Explains the effect of listing the topic. */
export const grantHint = (asking: Asking, topic: Topic, operation: TopicOperation): string => {
  const { dataSecurityClassification: classification } = topic.spec;
  const rule = comesTo(asking, topic, operation);
  if (rule === 'OWN') return `A topic of this ${topic.applicationCode === asking.app ? 'app' : 'team'}: it may at once.`;
  if (rule === 'AUTOMATIC') return `${classificationLabels[classification]}, in development: it may read at once.`;
  if (rule === 'REQUEST') return `The team of ${topic.applicationCode} is asked first. The account works meanwhile with its other topics.`;
  return `The team of ${topic.applicationCode} does not share it with other teams.`;
};
