/** Traces of a service: the slowest and the failed calls of the last day. The row of a call opens its trace. */
import { serviceTraceList, type FailedCall, type SlowCall } from '@slipway/contract/service/traces.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { PanelBody } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { CodeBlock } from '@slipway/ui/text/CodeBlock.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { OpenButton, useOpener, type Opener } from '#kit/list/OpenButton.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { milliseconds } from './milliseconds.ts';
import { TraceWaterfall } from './TraceWaterfall.tsx';
import { snippets } from './trace-snippets.ts';
import css from './ServiceTraces.module.css';

const POLL_MS = 10_000;

const slowColumns = (opener: Opener): Column<SlowCall>[] => [
  {
    key: 'name',
    header: 'Call',
    phone: 'title',
    cell: ({ name, traceId }) => (
      <OpenButton id={`${traceId} ${name}`} opener={opener}>
        <code className={css.name}>{name}</code>
      </OpenButton>
    ),
  },
  {
    key: 'slowest',
    header: 'Slowest',
    align: 'end',
    phone: 'end',
    cell: ({ slowestMs }) => <span className="num">{milliseconds(slowestMs)}</span>,
  },
  {
    key: 'median',
    header: 'Median',
    align: 'end',
    isRoomy: true,
    cell: ({ medianMs }) => <span className="num">{milliseconds(medianMs)}</span>,
  },
  {
    key: 'stored',
    header: 'Stored calls',
    align: 'end',
    phone: 'meta',
    cell: ({ stored }) => (
      <span className="num">
        {stored}
        <span className="only-phone">{stored === 1 ? ' stored call' : ' stored calls'}</span>
      </span>
    ),
  },
  {
    key: 'failed',
    header: 'Failed',
    align: 'end',
    phone: 'extra',
    cell: ({ failed }) => (
      <span className="num">
        {failed}
        <span className="only-phone"> failed</span>
      </span>
    ),
  },
];

const failedColumns = (opener: Opener): Column<FailedCall>[] => [
  {
    key: 'name',
    header: 'Call',
    phone: 'title',
    cell: ({ name, message, traceId, at }) => (
      <OpenButton id={`${traceId} ${name} ${at}`} opener={opener}>
        <code className={css.name}>{name}</code>
        <br />
        <span className="quiet">{message || 'no message'}</span>
      </OpenButton>
    ),
  },
  {
    key: 'duration',
    header: 'Duration',
    align: 'end',
    phone: 'meta',
    cell: ({ durationMs }) => <span className="num">{milliseconds(durationMs)}</span>,
  },
  { key: 'at', header: 'When', align: 'end', phone: 'end', cell: ({ at }) => <RelativeTime at={at} isShort /> },
];

interface ListProps {
  place: ServiceRef;
  list: QueryResult<typeof serviceTraceList>;
}

function SlowestCalls({ place, list }: ListProps) {
  const opener = useOpener('slow');
  const isEmpty = list.data?.slowest.length === 0;
  return (
    <ListPanel
      label="Slowest calls"
      plural="traces"
      list={list}
      head={{ title: 'Slowest calls', note: 'last 24 hours' }}
      columns={slowColumns(opener)}
      rows={list.data?.slowest ?? []}
      rowKey={({ name }) => name}
      detail={({ traceId, name }) => opener.open === `${traceId} ${name}` && <TraceWaterfall place={place} traceId={traceId} />}
      empty={
        <EmptyState kind="first-use" isCompact title="No traces in the last 24 hours">
          Add an OpenTelemetry SDK to the program. It finds Slipway by itself, through variables that each new revision gets.
        </EmptyState>
      }
    >
      {isEmpty && (
        <PanelBody className="stack stack-12">
          {snippets.map(({ language, code }) => (
            <div key={language} className="stack stack-4">
              <strong>{language}</strong>
              <CodeBlock code={code} what={`${language} snippet`} />
            </div>
          ))}
        </PanelBody>
      )}
    </ListPanel>
  );
}

function FailedCalls({ place, list }: ListProps) {
  const opener = useOpener('failed');
  return (
    <ListPanel
      label="Failed calls"
      plural="failed calls"
      list={list}
      head={{ title: 'Failed calls', note: 'last 24 hours, the newest first' }}
      columns={failedColumns(opener)}
      rows={list.data?.failed ?? []}
      rowKey={({ traceId, at, name }) => `${traceId} ${at} ${name}`}
      density="tall"
      detail={({ traceId, name, at }) => opener.open === `${traceId} ${name} ${at}` && <TraceWaterfall place={place} traceId={traceId} />}
      empty={
        <EmptyState kind="no-match" isCompact title="No failed calls">
          A call fails if its span has an error status.
        </EmptyState>
      }
    />
  );
}

export function ServiceTraces({ place }: { place: ServiceRef }) {
  const { app, env, service } = place;
  const { isMember, noRight } = useAppPlace();
  const list = useQuery(serviceTraceList, isMember === true && { params: { app, env, service } }, {
    pollMs: POLL_MS,
    isAlwaysPolled: true,
    keepPreviousData: true,
  });
  if (isMember === false) return <MembersOnly label="Traces">{noRight}</MembersOnly>;
  const hasCalls = list.data !== undefined && list.data.slowest.length > 0;
  return (
    <div className="stack stack-24">
      {list.data?.isFull && (
        <Notice tone="warn">
          The team has stored its traces of today. Further traces are stored when sampling makes room, at the latest after midnight UTC.
        </Notice>
      )}
      <SlowestCalls place={place} list={list} />
      {hasCalls && <FailedCalls place={place} list={list} />}
    </div>
  );
}
