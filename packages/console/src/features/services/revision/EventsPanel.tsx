/** Instance events, grouped: "Crashed 14 times" with the first and the last time. The URL holds the filter. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { useMemo, useState } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { timesLabel } from '#entities/diagnosis/diagnosis-labels.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import {
  eventFilterNames,
  eventFilters,
  eventTones,
  eventLabel,
  filterEvents,
  groupEvents,
  type Event,
  type EventGroup,
} from './event-groups.ts';
import css from './EventsPanel.module.css';

const defaults = { events: '' };
const shownFirst = 8;
/** More names would not help. */
const instancesNamed = 3;

export interface EventsPanelProps {
  events: readonly Event[] | undefined;
  query: FailedQuery;
  service: string;
}

export function EventsPanel({ events, query, service }: EventsPanelProps) {
  const { state, hrefOf } = useUrlState(defaults);
  const [isWhole, setWhole] = useState(false);
  const groups = useMemo(() => groupEvents(events ?? []), [events]);
  const fitting = filterEvents(groups, state.events);
  const rows = isWhole ? fitting : fitting.slice(0, shownFirst);
  const hidden = fitting.length - rows.length;
  return (
    <Panel aria-labelledby="events">
      <PanelHead title="Events" titleId="events">
        {groups.length > 0 && (
          <SegmentedLinks
            label="Which events"
            items={eventFilters.map((filter) => ({
              label: eventFilterNames[filter],
              href: hrefOf({ events: filter }),
              isCurrent: filter === state.events,
            }))}
          />
        )}
      </PanelHead>
      {query.error && !events ? (
        <ListError what="events" query={query} />
      ) : (
        <Loading isLoading={!events} label="Loading events" skeleton={<EventsSkeleton />}>
          {rows.length === 0 ? (
            <NoEvents isFiltered={groups.length > 0} />
          ) : (
            <ul className={css.events}>
              {rows.map((group) => (
                <EventRow key={group.key} group={group} service={service} />
              ))}
            </ul>
          )}
        </Loading>
      )}
      {hidden > 0 && (
        <PanelFoot>
          <Button size="sm" variant="quiet" onClick={() => setWhole(true)}>
            Show {hidden} more
          </Button>
        </PanelFoot>
      )}
    </Panel>
  );
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState kind="no-match" isCompact title="Nothing of that kind">
        Other events are hidden by the filter.
      </EmptyState>
    );
  }
  return (
    <EmptyState kind="first-use" isCompact title="Nothing has happened yet">
      Starts, failed probes, exits and stops of the instances are written here.
    </EmptyState>
  );
}

/** Three rows, because a starting revision has three events: added, started, healthy. */
function EventsSkeleton() {
  return (
    <div className={css.skeleton}>
      {[0, 1, 2].map((index) => (
        <Skeleton key={index} height={60} />
      ))}
    </div>
  );
}

function EventRow({ group, service }: { group: EventGroup; service: string }) {
  const { type, message, instances, count, first, last } = group;
  // Events of the whole revision have its name.
  const own = instances.map((instance) => instance.replace(`${service}-`, '')).filter((name) => !/^\d+$/.test(name));
  const names = own.slice(0, instancesNamed);
  return (
    <li className={css.event}>
      <StatusIcon tone={eventTones[type]} className={css.mark} />
      <VisuallyHidden>{type}: </VisuallyHidden>
      <div className={css.words}>
        <div>
          <strong>{eventLabel(group)}</strong>
          {count > 1 && <span className="quiet num"> {timesLabel(count)}</span>}
        </div>
        <p className="quiet dense">{message}</p>
        <p className="meta">
          <code className={css.instance}>{names.join(', ')}</code>
          {own.length > names.length && ` and ${own.length - names.length} more`}
          {count > 1 && (
            <>
              {names.length > 0 && ' · '}first <RelativeTime at={first} />
            </>
          )}
        </p>
      </div>
      <span className="meta num">
        {count > 1 && <VisuallyHidden>last </VisuallyHidden>}
        <RelativeTime at={last} />
      </span>
    </li>
  );
}
