/** Everything that the platform polls: thousands of topics in few requests. */
import type { SurveyedTopic } from '#ports/streaming.ts';
import type { KafkaCluster } from './cluster.ts';
import { groupsByTopic, type GroupOnTopic } from './groups/groups.ts';
import { furthestBehind, placedGroups, withLag } from './groups/topic-groups.ts';
import { waitingSince } from './groups/waiting.ts';
import { ledOf, measurePartitions } from './offsets.ts';
import { configsOf, observedOf, topicsNamed } from './topics.ts';

/** Topics per request. Answers are parsed in one turn of the event loop, so they must be small. */
const AT_ONCE = 250;
/** Maximum number of partitions, per batch of topics, whose oldest unread message is fetched. */
const MOST_LOOKED_AT = 200;

const NOTHING = { firstOffset: 0n, nextOffset: 0n };

export async function surveyTopics(cluster: KafkaCluster, names: readonly string[]): Promise<ReadonlyMap<string, SurveyedTopic>> {
  const surveyed = new Map<string, SurveyedTopic>();
  const groups = names.length > 0 ? await groupsByTopic(cluster) : new Map<string, GroupOnTopic[]>();
  for (let first = 0; first < names.length; first += AT_ONCE)
    for (const [name, topic] of await surveySome(cluster, names.slice(first, first + AT_ONCE), groups)) surveyed.set(name, topic);
  return surveyed;
}

async function surveySome(
  cluster: KafkaCluster,
  names: readonly string[],
  groups: ReadonlyMap<string, readonly GroupOnTopic[]>,
): Promise<[string, SurveyedTopic][]> {
  const topics = await topicsNamed(cluster, names);
  const led = ledOf(topics);
  const [configs, figures] = await Promise.all([
    configsOf(cluster, [...topics.keys()]),
    measurePartitions(cluster, led, { isTolerant: true }),
  ]);
  const byTopic = Map.groupBy(led, ({ topic }) => topic);
  const placed = new Map(
    [...topics.keys()].map((name) => {
      const ranges = new Map(figures.get(name)?.map((one) => [one.partition, one]));
      const measured = (byTopic.get(name) ?? []).filter(({ partition }) => ranges.has(partition));
      return [name, placedGroups(groups.get(name) ?? [], measured, (partition) => ranges.get(partition) ?? NOTHING)];
    }),
  );
  const since = await waitingSince(cluster, furthestBehind([...placed.values()].flat(), MOST_LOOKED_AT));
  return [...topics].flatMap(([name, topic]): [string, SurveyedTopic][] => {
    const own = configs.get(name);
    // Deleted in the meantime.
    if (!own) return [];
    const found = {
      topic: observedOf(name, topic, own),
      figures: figures.get(name) ?? [],
      groups: (placed.get(name) ?? []).map((group) => withLag(group, since)),
    };
    return [[name, found]];
  });
}
