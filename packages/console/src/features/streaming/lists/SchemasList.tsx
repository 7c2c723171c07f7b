/** The schemas of an app: type, newest version, level, and the topics that use them. */
import { compatibilityTexts, schemaList, schemaTypeLabels, type Schema } from '@slipway/contract/streaming/schema.ts';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { nameColumn, statusColumn } from '#kit/list/columns.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { schemaLook } from '#features/streaming/streaming-labels.ts';
import { useEventsPlace, useIsAway } from '#features/streaming/use-place.ts';

const mostNamed = 2;
const usedByLabel = ({ usedBy }: Schema): string => {
  const named = usedBy.slice(0, mostNamed).map(({ topic, part }) => `${topic}, ${part}`);
  return named.join('; ') + (usedBy.length > named.length ? ` and ${usedBy.length - named.length} more` : '');
};

const columnsOf = (isAway: boolean): Column<Schema>[] => [
  nameColumn(
    'Schema',
    ({ applicationCode, environmentClass, name }) => paths.schema({ app: applicationCode, env: environmentClass, schema: name }),
    ({ name }) => name,
  ),
  statusColumn((schema) => schemaLook(schema, isAway), { key: 'state', header: 'State' }),
  { key: 'type', header: 'Type', phone: 'meta', cell: ({ type }) => schemaTypeLabels[type] },
  {
    key: 'version',
    header: 'Version',
    align: 'end',
    phone: 'end',
    cell: ({ revisionId }) => (
      <span className="num">
        <span className="only-phone meta">version </span>
        {revisionId ?? '–'}
      </span>
    ),
  },
  {
    key: 'level',
    header: 'Level',
    isRoomy: true,
    cell: ({ compatibility }) => <span className="quiet">{compatibilityTexts[compatibility].label}</span>,
  },
  {
    key: 'used',
    header: 'Used by',
    phone: 'extra',
    cell: (schema) =>
      schema.usedBy.length === 0 ? <span className="meta">No topic</span> : <span className="quiet">{usedByLabel(schema)}</span>,
  },
  {
    key: 'changed',
    header: 'Changed',
    align: 'end',
    isRoomy: true,
    cell: ({ updatedBy, updatedAt }) => (
      <span className="quiet">
        {updatedBy.displayName}, <RelativeTime at={updatedAt} isShort />
      </span>
    ),
  },
];

export function Component() {
  const { at, place } = useEventsPlace();
  const control = useListControl(listDefaults);
  const list = useQuery(schemaList, place && { params: { ...place }, query: control.filter }, { keepPreviousData: true });
  const isAway = useIsAway(place, 'registry');
  if (place === undefined) return null;
  const newLink = <NewLink label="New schema" href={paths.newSchema(place)} reason={at.createReason} />;
  return (
    <ResourceList
      label="Schemas"
      noun="schema"
      plural="schemas"
      list={list}
      control={control}
      columns={columnsOf(isAway)}
      rowKey={({ id }) => id}
      searchLabel="Filter schemas"
      newLink={newLink}
      firstUse={{
        title: 'No schemas found',
        text: 'A schema says what the messages of a topic look like. Each change is checked against those who read them, before it is saved.',
        actions: (
          <>
            <NewLink isMain label="New stream" href={paths.newStream(place)} reason={at.createReason} />
            {newLink}
          </>
        ),
      }}
      noMatch={{ title: 'No schemas found' }}
    />
  );
}
