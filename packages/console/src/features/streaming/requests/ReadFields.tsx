/** The fields that a client of the topic reads, including fields that the console masks. Masked fields first. */
import { topicFieldsView, type TopicField } from '@slipway/contract/streaming/message.ts';
import { classificationLabels } from '@slipway/contract/streaming/streaming.ts';
import type { TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import type { QueryResult } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { useEngineQuery } from '#features/streaming/use-place.ts';

const mostShown = 10;

/** Loads the topic's fields if the request is for reading. */
export const useReadFields = ({ topic, environmentClass: env, operation }: TopicGrant): QueryResult<typeof topicFieldsView> => {
  const place = { app: topic.applicationCode, env };
  return useEngineQuery(place, topicFieldsView, operation === 'READ' && { params: { ...place, topic: topic.name } }, { pollMs: 0 });
};

interface Row extends TopicField {
  readonly part: 'key' | 'value';
}
const columns: Column<Row>[] = [
  {
    key: 'field',
    header: 'Field',
    phone: 'title',
    cell: ({ path, part }) => (
      <>
        <code>{path}</code> {part === 'key' && <span className="meta">of the key</span>}
      </>
    ),
  },
  { key: 'type', header: 'Type', phone: 'meta', cell: ({ type }) => <span className="quiet">{type}</span> },
  { key: 'class', header: 'Classification', phone: 'status', cell: ({ classification }) => classificationLabels[classification] },
  {
    key: 'here',
    header: 'In this console',
    isRoomy: true,
    cell: ({ isMasked }) => (isMasked ? 'Masked' : <span className="quiet">Readable</span>),
  },
  {
    key: 'there',
    header: 'In their client',
    phone: 'end',
    cell: ({ isMasked }) => (isMasked ? <Status tone="warn">Readable</Status> : <span className="quiet">Readable</span>),
  },
];

export function ReadFields({ grant }: { grant: TopicGrant }) {
  const fields = useReadFields(grant);
  const { key = [], value = [], isPartial = false } = fields.data ?? {};
  const rows: Row[] = [
    ...value.map((field) => ({ ...field, part: 'value' as const })),
    ...key.map((field) => ({ ...field, part: 'key' as const })),
  ];
  if (grant.operation !== 'READ' || (fields.data && rows.length === 0)) return null;
  return (
    <ListPanel
      label="What they will read"
      plural="fields"
      list={fields}
      head={{ title: 'What they will read' }}
      columns={columns}
      rows={rows.toSorted((one, next) => Number(next.isMasked) - Number(one.isMasked))}
      rowKey={({ part, path }) => `${part} ${path}`}
      density="compact"
      mostRows={mostShown}
    >
      <PanelFoot>
        {isPartial ? 'There are more fields than are listed. ' : ''}Masking works in this console only. A Kafka client that may read a topic
        reads every field.
      </PanelFoot>
    </ListPanel>
  );
}
