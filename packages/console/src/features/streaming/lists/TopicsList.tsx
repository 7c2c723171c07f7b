/** The topics of an app: those that need a look first, then healthy ones. Optionally, shared topics of other apps. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { topicList, type Topic } from '@slipway/contract/streaming/topic.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import type { RowGroup } from '@slipway/ui/list/Table.tsx';
import { X } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { FirstUse } from '#kit/list/FirstUse.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { topicLook } from '#features/streaming/streaming-labels.ts';
import { useEventsPlace, useIsAway } from '#features/streaming/use-place.ts';
import { topicColumns } from './topic-columns.tsx';

/** `own`, or `shared` for topics of other apps. */
const defaults = { ...listDefaults, of: 'own', tag: '' };
const pollMs = 10_000;

const groupsOf = ({ content, totalPages }: Page<Topic>, app: string, isAway: boolean): RowGroup<Topic>[] => {
  const own = content.filter(({ applicationCode }) => applicationCode === app);
  const needsLook = (topic: Topic): boolean => ['warn', 'bad'].includes(topicLook(topic).tone);
  const isWhole = totalPages <= 1;
  return [
    { key: 'look', label: 'Needs a look', rows: own.filter(needsLook), isWhole },
    { key: 'well', label: isAway ? 'Not known now' : 'Running well', rows: own.filter((topic) => !needsLook(topic)), isWhole },
    { key: 'others', label: 'Owned by other apps', rows: content.filter(({ applicationCode }) => applicationCode !== app), isWhole },
  ];
};

export function Component() {
  const { at, place } = useEventsPlace();
  const control = useListControl(defaults);
  const isShared = control.state.of === 'shared';
  const { tag } = control.state;
  const query = { ...control.filter, owned: String(!isShared), shared: String(isShared), ...(tag === '' ? {} : { tag }) };
  const list = useQuery(topicList, place && { params: { ...place }, query }, { keepPreviousData: true, pollMs, isAlwaysPolled: true });
  const isAway = useIsAway(place, 'cluster', 'registry');
  if (place === undefined) return null;
  const newLink = <NewLink label="New topic" href={paths.newTopic(place)} reason={at.createReason} />;
  return (
    <ResourceList
      label="Topics"
      noun="topic"
      plural="topics"
      list={list}
      control={control}
      columns={topicColumns(place.app, isAway)}
      {...(list.data ? { groups: groupsOf(list.data, place.app, isAway) } : {})}
      rowKey={({ id }) => id}
      density="tall"
      searchLabel="Filter topics"
      tools={
        <>
          <Segmented
            label="Whose topics"
            options={[
              { value: 'own', label: 'Of this app' },
              { value: 'shared', label: 'Of other apps' },
            ]}
            value={isShared ? 'shared' : 'own'}
            onChange={(of) => control.set({ of })}
          />
          {tag !== '' && (
            <Button size="sm" variant="quiet" icon={<X aria-hidden="true" />} onClick={() => control.set({ tag: '' })}>
              Tag {tag}
            </Button>
          )}
        </>
      }
      newLink={newLink}
      firstUse={{
        title: 'No topics found',
        text: (
          <FirstUse
            purpose="A topic holds messages of one kind, in order, for a retention you choose. Programs write and read it with any Kafka client."
            label="In Node.js, with the topic orders and kafkajs. An account’s page has the whole program."
            code={`await producer.send({ topic: '${physicalName(place.app, 'orders')}', messages: [{ value }] });`}
          />
        ),
        actions: (
          <>
            <NewLink isMain label="New stream" href={paths.newStream(place)} reason={at.createReason} />
            {newLink}
          </>
        ),
      }}
      noMatch={{ title: 'No topics found' }}
    />
  );
}
