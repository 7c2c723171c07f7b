/** Errors in groups. The row of an error opens its stack and newest occurrences. */
import {
  errorStates,
  monitorErrorList,
  monitorErrorUpdate,
  monitorErrorView,
  type ErrorState,
  type MonitorError,
  type MonitorErrorDetail,
} from '@slipway/contract/monitoring/readings.ts';
import { cssVars, percent } from '@slipway/ui/css-vars.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { PanelBody, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Fragment } from 'react';
import { refresh } from '#entities/changes/index.ts';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { OpenButton, useOpener, type Opener } from '#kit/list/OpenButton.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { MonitorPlace } from './monitor-place.ts';
import { errorLook, whole } from './monitoring-labels.ts';
import css from './VitalCards.module.css';

const POLL_MS = 15_000;
const defaults = { state: '', open: '' };
const stateLabels: Readonly<Record<ErrorState, string>> = { OPEN: 'Open', RESOLVED: 'Resolved', MUTED: 'Muted' };

function Trend({ trend }: { trend: readonly number[] }) {
  const top = Math.max(1, ...trend);
  return (
    <span className={css.trend} role="img" aria-label={`14 days: ${trend.join(', ')}`}>
      {trend.map((n, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a bar is its day
        <i key={index} style={cssVars({ '--height': percent(n / top) })} />
      ))}
    </span>
  );
}

const columnsOf = (opener: Opener): Column<MonitorError>[] => [
  {
    key: 'error',
    header: 'Error',
    phone: 'title',
    cell: ({ id, type, message, culprit }) => (
      <OpenButton id={id} opener={opener}>
        <strong>{type}</strong>: {message}
        <br />
        <span className="quiet mono">{culprit || 'no stack'}</span>
      </OpenButton>
    ),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: (error) => {
      const { tone, word } = errorLook(error, Date.now());
      return <Status tone={tone}>{word}</Status>;
    },
  },
  { key: 'trend', header: '14 days', isRoomy: true, cell: ({ trend }) => <Trend trend={trend} /> },
  {
    key: 'count',
    header: 'Times',
    align: 'end',
    phone: 'meta',
    cell: ({ count: times }) => (
      <span className="num">
        {whole(times)}
        <span className="only-phone">{times === 1 ? ' time' : ' times'}</span>
      </span>
    ),
  },
  { key: 'users', header: 'People', align: 'end', cell: ({ users }) => <span className="num">{users >= 1000 ? '1,000+' : users}</span> },
  {
    key: 'first',
    header: 'First seen',
    isRoomy: true,
    cell: ({ firstAt, firstRelease }) => (
      <span className="quiet">
        <RelativeTime at={firstAt} isShort />
        {firstRelease && <span className="meta"> · {firstRelease}</span>}
      </span>
    ),
  },
  { key: 'last', header: 'Last seen', align: 'end', phone: 'end', cell: ({ lastAt }) => <RelativeTime at={lastAt} isShort /> },
];

export function ErrorsTab({ place }: { place: MonitorPlace }) {
  const { state: url, hrefOf } = useUrlState(defaults);
  const onClickCapture = useInPageLinks();
  const opener = useOpener();
  const state = url.state === 'all' ? undefined : (errorStates.find((one) => one === url.state) ?? 'OPEN');
  const list = useQuery(
    monitorErrorList,
    { params: place, query: state ? { state } : {} },
    { keepPreviousData: true, pollMs: POLL_MS, isAlwaysPolled: true },
  );
  const items = [
    ...errorStates.map((one) => ({ label: stateLabels[one], state: one === 'OPEN' ? '' : one, isCurrent: state === one })),
    { label: 'All', state: 'all', isCurrent: state === undefined },
  ];
  const { content = [], total = 0 } = list.data ?? {};
  return (
    <div onClickCapture={onClickCapture}>
      <ListPanel
        label="Errors"
        plural="errors"
        list={list}
        head={{
          title: 'Errors',
          note: total > content.length ? `the newest ${content.length} of ${total}` : 'grouped by type, message and stack',
          children: (
            <SegmentedLinks
              label="State"
              items={items.map(({ label, state: to, isCurrent }) => ({ label, isCurrent, href: hrefOf({ state: to, open: '' }) }))}
            />
          ),
        }}
        columns={columnsOf(opener)}
        rows={content}
        rowKey={({ id }) => id}
        density="tall"
        detail={({ id }) => opener.open === id && <ErrorDetail place={place} id={id} />}
        empty={
          <EmptyState
            kind={state === 'OPEN' ? 'first-use' : 'no-match'}
            isCompact
            title={state === undefined ? 'No errors' : `No ${stateLabels[state].toLowerCase()} errors`}
          >
            Unhandled errors and promise rejections of your pages show here.
          </EmptyState>
        }
      />
    </div>
  );
}

function ErrorDetail({ place, id }: { place: MonitorPlace; id: string }) {
  const query = useQuery(monitorErrorView, { params: { ...place, errorId: id } });
  const { send, isBusy } = useWrite(monitorErrorUpdate);
  const error = query.data;
  if (!error) return query.error ? <ListError what="error" query={query} /> : <PanelBody className="meta">Loading</PanelBody>;
  const set = async (state: ErrorState): Promise<void> => {
    await send({ params: { ...place, errorId: id }, body: { state } });
    toast.success(`The error is ${stateLabels[state].toLowerCase()}`);
    await refresh({ kind: 'monitor', ...place });
  };
  return (
    <>
      <PanelBody className="stack stack-12">
        <Stack stack={error.stack} release={error.lastRelease} />
        <Occurrences place={place} error={error} />
      </PanelBody>
      <PanelFoot>
        {errorStates
          .filter((state) => state !== error.state)
          .map((state) => (
            <Button key={state} isBusy={isBusy} onClick={() => void set(state)}>
              {{ OPEN: 'Open again', RESOLVED: 'Resolve', MUTED: 'Mute' }[state]}
            </Button>
          ))}
      </PanelFoot>
    </>
  );
}

function Stack({ stack, release }: { stack: MonitorErrorDetail['stack']; release: string }) {
  if (stack.length === 0) return <p className="meta">The browser reported no stack.</p>;
  return (
    <div>
      <ol className={`${css.frames} mono`} aria-label="Stack">
        {stack.map((frame, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- frames repeat
          <li key={index}>
            {frame.function} <span className="quiet">{`${frame.file}:${frame.line ?? '?'}:${frame.column ?? '?'}`}</span>
          </li>
        ))}
      </ol>
      {!stack.some(({ isMapped }) => isMapped) && (
        <p className="meta">Not translated: {release ? `upload the source maps of ${release}` : 'the page names no release'}.</p>
      )}
    </div>
  );
}

function Occurrences({ place, error }: { place: MonitorPlace; error: MonitorErrorDetail }) {
  if (error.occurrences.length === 0) return <p className="meta">The events of this error are older than the retention.</p>;
  return (
    <div className={css.events} role="group" aria-label="Newest occurrences">
      {error.occurrences.map(({ at, page, release, session, message }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- occurrences can be alike
        <Fragment key={index}>
          <RelativeTime at={at} isShort />
          <span>
            {session ? <Link href={`${paths.monitor(place, 'sessions')}?open=${encodeURIComponent(session)}`}>Session</Link> : 'No session'}
          </span>
          <span>{[page || 'no page', release, message].filter(Boolean).join(' · ')}</span>
        </Fragment>
      ))}
    </div>
  );
}
