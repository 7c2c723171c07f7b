/** The newest sessions. The row of a session opens its events in order. */
import { monitorSessionList, monitorSessionView, type MonitorSession, type SessionEvent } from '@slipway/contract/monitoring/readings.ts';
import { vitals } from '@slipway/contract/monitoring/vitals.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { PanelBody } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Fragment } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { OpenButton, useOpener, type Opener } from '#kit/list/OpenButton.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { MonitorPlace } from './monitor-place.ts';
import { millisecondsText, vitalText } from './monitoring-labels.ts';
import css from './VitalCards.module.css';

const POLL_MS = 15_000;
const defaults = { errors: '', open: '' };

const columnsOf = (opener: Opener): Column<MonitorSession>[] => [
  {
    key: 'person',
    header: 'Person',
    phone: 'title',
    cell: ({ id, user, browser, os, country }) => (
      <OpenButton id={id} opener={opener}>
        <strong>{user === null ? 'anonymous' : `user ${user.slice(0, 4)}`}</strong>
        <br />
        <span className="meta">{[`${browser}, ${os}`, country].filter(Boolean).join(' · ')}</span>
      </OpenButton>
    ),
  },
  { key: 'began', header: 'Began', phone: 'end', cell: ({ startedAt }) => <RelativeTime at={startedAt} isShort /> },
  {
    key: 'length',
    header: 'Length',
    isRoomy: true,
    cell: ({ startedAt, lastAt }) => <DurationText from={startedAt} to={lastAt} />,
  },
  {
    key: 'way',
    header: 'Way through the app',
    phone: 'extra',
    cell: ({ pages }) => <span className={css.way}>{pages.join(' → ') || '–'}</span>,
  },
  { key: 'release', header: 'Release', isRoomy: true, cell: ({ release }) => release || '–' },
  {
    key: 'errors',
    header: 'Errors',
    align: 'end',
    phone: 'meta',
    cell: ({ errors }) => (
      <span className="num">
        {errors}
        <span className="only-phone">{errors === 1 ? ' error' : ' errors'}</span>
      </span>
    ),
  },
];

export function SessionsTab({ place }: { place: MonitorPlace }) {
  const { state, hrefOf } = useUrlState(defaults);
  const onClickCapture = useInPageLinks();
  const opener = useOpener();
  const hasErrors = state.errors === 'true';
  const list = useQuery(
    monitorSessionList,
    { params: place, query: hasErrors ? { hasErrors: 'true' } : {} },
    { keepPreviousData: true, pollMs: POLL_MS, isAlwaysPolled: true },
  );
  const rows = list.data ?? [];
  // A link may name a session that is no longer among the newest.
  const isBelow = state.open !== '' && list.data !== undefined && !rows.some(({ id }) => id === state.open);
  return (
    <div className="stack stack-24" onClickCapture={onClickCapture}>
      {isBelow && <SessionEvents place={place} id={state.open} />}
      <ListPanel
        label="Sessions"
        plural="sessions"
        list={list}
        head={{
          title: 'Sessions',
          note: 'end after 15 minutes without activity, or after 4 hours',
          children: (
            <SegmentedLinks
              label="Sessions"
              items={[
                { label: 'All', href: hrefOf({ errors: '', open: '' }), isCurrent: !hasErrors },
                { label: 'With errors', href: hrefOf({ errors: 'true', open: '' }), isCurrent: hasErrors },
              ]}
            />
          ),
        }}
        columns={columnsOf(opener)}
        rows={rows}
        rowKey={({ id }) => id}
        density="tall"
        detail={({ id }) => opener.open === id && <SessionEvents place={place} id={id} />}
        empty={
          <EmptyState
            kind={hasErrors ? 'no-match' : 'first-use'}
            isCompact
            title={hasErrors ? 'No session with errors' : 'No sessions yet'}
          >
            Sessions show which pages a person saw, without names and without typed text.
          </EmptyState>
        }
      />
    </div>
  );
}

const labels: Readonly<Record<SessionEvent['kind'], string>> = {
  VIEW: 'View',
  VITAL: 'Vital',
  ERROR: 'Error',
  CALL: 'Call',
  LOG: 'Log',
  EVENT: 'Event',
};
const textOf = ({ kind, name, page, value, status, message }: SessionEvent): string => {
  const vital = vitals.find((one) => one === name);
  if (kind === 'VIEW') return page;
  if (kind === 'VITAL' && vital && value !== null) return `${vital} ${vitalText(vital, value)} on ${page}`;
  if (kind === 'CALL') return `${name}${status === null ? '' : ` answered ${status}`} in ${millisecondsText(value ?? 0)}`;
  if (kind === 'LOG') return `${name}: ${message}`;
  return message || name;
};

function SessionEvents({ place, id }: { place: MonitorPlace; id: string }) {
  const query = useQuery(monitorSessionView, { params: { ...place, session: id } });
  const session = query.data;
  if (!session) return query.error ? <ListError what="session" query={query} /> : <PanelBody className="meta">Loading</PanelBody>;
  return (
    <PanelBody>
      {session.events.length === 0 && <p className="meta">No events were sent.</p>}
      <div className={css.events}>
        {session.events.map((event, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- events can be alike
          <Fragment key={index}>
            <time className="meta num" dateTime={event.at}>
              {new Date(event.at).toLocaleTimeString('en-GB')}
            </time>
            <span className="quiet">{labels[event.kind]}</span>
            <span>{textOf(event)}</span>
          </Fragment>
        ))}
      </div>
      {session.isCut && <p className="meta">Only the first 500 events are shown.</p>}
    </PanelBody>
  );
}
