/** A map as a picture or as a table. Phones show the table unless the user chooses the picture. */
import type { ResourceMap } from '@slipway/contract/map.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { useSyncExternalStore, type ReactNode } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { MapPicture } from './MapPicture.tsx';
import css from './MapPanel.module.css';
import { hrefOf, kindWords, lookOf, nameOf, needsLook, rowsOf, type MapRow, type Relation } from './map-words.ts';

const defaults = { view: '' };
const narrow = '(max-width: 720px)';
const subscribe = (onChange: () => void): (() => void) => {
  const media = matchMedia(narrow);
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
};
const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(narrow).matches);

function Relations({ list, env, none }: { list: readonly Relation[]; env: string; none: string }) {
  if (list.length === 0) return <span className="meta">{none}</span>;
  return (
    <ul className={css.relations}>
      {list.map(({ key, verb, other, note }) => {
        const href = hrefOf(other, env);
        return (
          <li key={key}>
            <span className="meta">{verb} </span>
            {href === undefined ? nameOf(other) : <Link href={href}>{nameOf(other)}</Link>}
            <span className="meta">{note}</span>
          </li>
        );
      })}
    </ul>
  );
}

const columnsOf = (env: string): Column<MapRow>[] => [
  {
    key: 'name',
    header: 'Name',
    phone: 'title',
    cell: ({ node }) => {
      const href = hrefOf(node, env);
      return href === undefined ? nameOf(node) : <Link href={href}>{nameOf(node)}</Link>;
    },
  },
  { key: 'kind', header: 'Kind', cell: ({ node }) => kindWords[node.kind] },
  {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: ({ node }) => {
      const look = lookOf(node);
      return look ? <Status tone={look.tone}>{look.word}</Status> : <span className="meta">–</span>;
    },
  },
  { key: 'uses', header: 'Depends on', cell: ({ uses }) => <Relations list={uses} env={env} none="nothing" /> },
  { key: 'usedBy', header: 'Used by', cell: ({ usedBy }) => <Relations list={usedBy} env={env} none="nobody" /> },
  {
    key: 'owner',
    header: 'Team',
    isRoomy: true,
    cell: ({ node }) => (node.team === null ? <span className="meta">–</span> : node.team.displayName),
  },
];

export interface MapPanelProps {
  query: FailedQuery & { data?: ResourceMap | undefined };
  title: string;
  app?: string;
  team: string | undefined;
  env: string;
  empty: { title: string; text: ReactNode; actions?: ReactNode };
  /** Says what non-members do not see. */
  note?: ReactNode;
}

export function MapPanel({ query, title, app, team, env, empty, note }: MapPanelProps) {
  const { data: map } = query;
  const { state, hrefOf: viewHref } = useUrlState(defaults);
  const isNarrow = useIsNarrow();
  const isTable = state.view === 'table' || (state.view !== 'picture' && isNarrow);
  const troubled = map?.nodes.filter(needsLook).length ?? 0;
  const remarks = map && [
    ...(isTable ? [] : ['Lines follow data and requests. Amber: an end needs a look. Dashed: requested. Dotted: reads secrets.']),
    ...map.cutKinds.map((kind) => `Only 150 of the kind ${kindWords[kind].toLowerCase()} are shown, the most urgent first.`),
    ...(map.areEdgesCut ? ['Some connections are missing: the map has more than 2,000.'] : []),
  ];
  return (
    <Panel aria-labelledby="map-title">
      <PanelHead
        title={title}
        titleId="map-title"
        note={
          map &&
          map.nodes.length > 0 &&
          `${count(map.nodes.length, 'item')}, ${troubled === 0 ? 'none needs a look' : `${troubled} ${troubled === 1 ? 'needs' : 'need'} a look`}`
        }
      >
        <SegmentedLinks
          label="View"
          items={[
            { label: 'Picture', href: viewHref({ view: 'picture' }), isCurrent: !isTable },
            { label: 'Table', href: viewHref({ view: 'table' }), isCurrent: isTable },
          ]}
        />
      </PanelHead>
      {query.error && !map ? (
        <ListError what="map" query={query} />
      ) : map?.nodes.length === 0 ? (
        <EmptyState level={3} kind="first-use" title={empty.title} actions={empty.actions}>
          {empty.text}
        </EmptyState>
      ) : !map && !isTable ? (
        <PanelBody>
          <Skeleton width={196} />
        </PanelBody>
      ) : isTable || !map ? (
        <Table
          label={title}
          columns={columnsOf(env)}
          rows={map ? rowsOf(map) : []}
          rowKey={({ node }) => node.id}
          isLoading={!map}
          density="tall"
          phone="flow"
          mostRows={50}
        />
      ) : (
        <MapPicture map={map} app={app} team={team} env={env} tableHref={viewHref({ view: 'table' })} />
      )}
      {map && map.nodes.length > 0 && (remarks?.length || note) && (
        <PanelFoot>
          <span className="meta">
            {remarks?.join(' ')} {note}
          </span>
        </PanelFoot>
      )}
    </Panel>
  );
}
