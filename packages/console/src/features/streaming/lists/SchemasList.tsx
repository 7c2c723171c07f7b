/** The schemas of an app: type, newest version, level, and the topics that use them. */
import { compatibilityTexts, schemaList, schemaTypeLabels, type Schema } from '@slipway/contract/streaming/schema.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Plus } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { totalLabel } from '#kit/list/list-total.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { schemaLook } from '#features/streaming/streaming-labels.ts';
import { NewStreamLink } from '#features/streaming/NewStreamLink.tsx';
import { useEventsPlace, useIsAway } from '#features/streaming/use-place.ts';

const mostNamed = 2;
const usedByLabel = ({ usedBy }: Schema): string => {
  const named = usedBy.slice(0, mostNamed).map(({ topic, part }) => `${topic}, ${part}`);
  return named.join('; ') + (usedBy.length > named.length ? ` and ${usedBy.length - named.length} more` : '');
};

const columnsOf = (isAway: boolean): Column<Schema>[] => [
  {
    key: 'name',
    header: 'Schema',
    isSortable: true,
    phone: 'title',
    cell: ({ name, applicationCode, environmentClass }) => (
      <Link className={cellMain} href={paths.schema({ app: applicationCode, env: environmentClass, schema: name })}>
        {name}
      </Link>
    ),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: (schema) => {
      const { tone, word } = schemaLook(schema, isAway);
      return <Status tone={tone}>{word}</Status>;
    },
  },
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
  const newLink = (
    <LinkButton
      href={paths.newSchema(place)}
      icon={<Plus aria-hidden="true" />}
      disabledReason={reasonOf(at.application?.can, 'createService', { team: at.team })}
    >
      New schema
    </LinkButton>
  );
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
      note={
        <span className="row push">
          {list.data && <span className="meta num">{totalLabel(list.data, 'schema', 'schemas')}</span>}
          {newLink}
        </span>
      }
      firstUse={{
        title: 'No schemas found',
        text: 'A schema says what the messages of a topic look like. Each change is checked against those who read them, before it is saved.',
        actions: (
          <>
            <NewStreamLink at={at} place={place} isMain />
            {newLink}
          </>
        ),
      }}
      noMatch={{ title: 'No schemas found' }}
    />
  );
}
