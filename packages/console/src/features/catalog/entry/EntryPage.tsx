/** The page of an entry of any kind: header, what waits, overview, requests and history. */
import { entryKinds, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import type { CatalogApplication } from '@slipway/contract/catalog/application.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useParams } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths, type CatalogTab } from '#entities/paths.ts';
import { EntityPage, MissingTab, tabAt, type Tabs } from '#entities/resource/EntityPage.tsx';
import { useQuery } from '#kit/api/query.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { dayText, entryLook, typeNames } from '#features/catalog/catalog-labels.ts';
import { entryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryCall, entryOf, type Entry } from '#features/catalog/entry-kinds.ts';
import { EntryActions } from './EntryActions.tsx';
import { EntryHistory } from './EntryHistory.tsx';
import { EntryOverview } from './EntryOverview.tsx';
import { EntryRequests, useOpenRequests } from './EntryRequests.tsx';

const tabs: Tabs<'overview' | CatalogTab> = [
  ['overview', 'Overview'],
  ['requests', 'Requests'],
  ['history', 'History'],
];

/** Returns the kind of a path segment: `platforms`. */
export const kindOf = (plural: string | undefined): EntryKind | undefined => entryKinds.find((kind) => `${kind}s` === plural);

export function Component() {
  const { plural, entry: id = '', tab: segment } = useParams();
  const kind = kindOf(plural);
  const query = useQuery(entryKindOf[kind ?? 'application'].routes.view, kind !== undefined && entryCall({ kind, id }));
  const tab = tabAt(tabs, segment);
  if (kind === undefined) return <NotFound />;
  const { label } = entryKindOf[kind].subject;
  if (query.error && !query.data) return <PageError what={`${label.toLowerCase()} ${id}`} query={query} />;
  if (tab === undefined) return <MissingTab noun={label} name={id} segment={segment} href={paths.catalogEntry({ kind, id })} />;
  return (
    <EntryScreen
      key={`${kind}/${id}`}
      kind={kind}
      id={id}
      tab={tab}
      entry={query.data === undefined ? undefined : entryOf(kind, query.data)}
      reload={() => void query.mutate()}
    />
  );
}

interface ScreenProps {
  kind: EntryKind;
  id: string;
  tab: 'overview' | CatalogTab;
  entry: Entry | undefined;
  reload: () => void;
}

function EntryScreen({ kind, id, tab, entry, reload }: ScreenProps) {
  const { label } = entryKindOf[kind].subject;
  const open = useOpenRequests({ kind, id });
  const look = entry && entryLook[entry.status];
  const fields = entry as (Entry & CatalogApplication) | undefined;
  const isProven = kind === 'application' && entry?.status === 'ACTIVE';
  return (
    <EntityPage
      title={[entry?.name ?? id, 'Catalog']}
      noun={label}
      tabs={tabs}
      tab={tab}
      hrefOf={(one) => paths.catalogEntry({ kind, id }, one === 'overview' ? undefined : one)}
      counts={{ requests: open.length > 0 ? { count: open.length } : {} }}
      header={
        <PageHeader
          isList
          typeLabel={label}
          name={entry?.name ?? id}
          status={
            <>
              {look && <Badge tone={look.tone}>{look.word}</Badge>}
              {isProven && <Badge tone={fields?.verified ? 'ok' : 'warn'}>{fields?.verified ? 'Verified' : 'Not verified'}</Badge>}
            </>
          }
          isLoading={!entry}
          actions={entry && <EntryActions entry={entry} reload={reload} />}
        >
          <Details items={detailsOf(kind, id, fields)} />
        </PageHeader>
      }
    >
      {entry && tab === 'overview' && open.map((request) => <OpenRequest key={request.requestId} request={request} />)}
      {entry?.status === 'REJECTED' && (
        <Notice tone="bad">
          <strong>The approvers rejected this entry.</strong> {entry.rejectedComments} Change it and send it again.
        </Notice>
      )}
      {tab === 'requests' ? (
        <EntryRequests kind={kind} id={id} />
      ) : tab === 'history' ? (
        <EntryHistory kind={kind} id={id} />
      ) : (
        entry && <EntryOverview entry={entry} reload={reload} />
      )}
    </EntityPage>
  );
}

function OpenRequest({ request }: { request: ReturnType<typeof useOpenRequests>[number] }) {
  const deciders = request.assignedTo.map(({ displayName }) => displayName).join(' or ');
  return (
    <Notice tone="run" actions={<Link href={paths.requests(request.requestId)}>View request</Link>}>
      <strong>{openWords[request.reqType]}</strong> {request.requestedBy.displayName} asked <RelativeTime at={request.requestedDate} />;{' '}
      {deciders || (request.reqType === 'DATA_ISSUE' ? 'the owners or approvers' : 'the approvers')} decide by {dayText(request.dueDate)}.
      Nothing has changed yet.
    </Notice>
  );
}
const openWords: Readonly<Record<string, string>> = {
  ONBOARD: 'This entry waits for approval.',
  UPDATE: 'A change of fields waits for approval.',
  OWNER_CHANGE: 'A change of owners waits for approval.',
  PLATFORM_CHANGE: 'A move to another platform waits for approval.',
  DECOMMISSION: 'A decommissioning waits for approval.',
  DATA_ISSUE: 'Somebody reported wrong data.',
};

const detailsOf = (kind: EntryKind, id: string, entry: (Entry & CatalogApplication) | undefined): Detail[] => {
  const more = entry as unknown as Readonly<Record<string, string | undefined>> | undefined;
  const type = more?.[`${kind}Type`];
  return [
    { label: kind === 'application' ? 'macId' : 'Id', value: <code>{id}</code>, copyText: id },
    ...(kind === 'application'
      ? [
          { label: 'Criticality', value: entry ? (entry.criticalityCategory?.category ?? 'Not set') : '–' },
          { label: 'Classification', value: entry ? (entry.classification?.classification ?? 'Not set') : '–' },
          { label: 'Strategic intent', value: entry ? (entry.strategicIntent?.intent ?? 'Not set') : '–' },
          { label: 'MIP layer', value: entry ? (entry.mipLayer?.layer ?? 'Not set') : '–' },
          { label: 'In production', value: entry ? (entry.productionDeployed ? 'Yes' : 'No') : '–' },
        ]
      : [{ label: 'Type', value: type === undefined ? '–' : (typeNames[type] ?? type) }]),
    {
      label: 'Last change',
      value: entry ? (
        <>
          {entry.modifiedBy && `${entry.modifiedBy.displayName}, `}
          <RelativeTime at={entry.modifiedDate} isShort />
        </>
      ) : (
        '–'
      ),
    },
  ];
};
