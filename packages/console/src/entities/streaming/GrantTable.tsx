/** Table of topic requests and grants: app, operation, state, decision and date. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { paths, type AppRef } from '#entities/paths.ts';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { basisLabel, grantLook, grantSentence } from './grant-labels.ts';

/** `placeOf` returns the app on whose page the request opens. */
export const grantColumns = (placeOf: (grant: TopicGrant) => AppRef, hasEnvironment = false): Column<TopicGrant>[] => [
  {
    key: 'what',
    header: 'Request',
    phone: 'title',
    cell: (grant) => (
      <TwoLines below={`${grant.account.name}, ${grant.account.team.displayName}`}>
        <Link className={cellMain} href={paths.topicRequest({ ...placeOf(grant), request: grant.id })}>
          {grant.account.applicationCode} {grantSentence(grant)} {grant.topic.name}
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: (grant) => {
      const { tone, word } = grantLook(grant);
      return <Status tone={tone}>{word}</Status>;
    },
  },
  ...(hasEnvironment
    ? [{ key: 'env', header: 'Environment', phone: 'meta', cell: ({ environmentClass }: TopicGrant) => environmentClass } as const]
    : []),
  { key: 'by', header: 'Decided', isRoomy: true, cell: (grant) => <span className="quiet">{basisLabel(grant) ?? '–'}</span> },
  {
    key: 'asked',
    header: 'Asked',
    align: 'end',
    phone: 'meta',
    cell: ({ requestedBy, requestedAt }) => (
      <span className="quiet">
        {requestedBy.displayName}, <RelativeTime at={requestedAt} isShort />
      </span>
    ),
  },
];

export interface GrantTableProps {
  title: string;
  place: AppRef;
  list: FailedQuery & { data?: Page<TopicGrant> | undefined };
}

export function GrantTable({ title, place, list }: GrantTableProps) {
  return (
    <ListPanel
      label={title}
      plural="requests"
      list={list}
      head={{ title }}
      columns={grantColumns(() => place)}
      rows={list.data?.content ?? []}
      rowKey={({ id }) => id}
      density="tall"
      empty={
        <EmptyState kind="first-use" title="No requests" isCompact>
          Nobody has asked yet. An account asks by listing the topic.
        </EmptyState>
      }
    />
  );
}
