/** What happened to the instances, grouped: the same thing again raises its count. */
import type { InstanceEvent } from '@slipway/contract/revision.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { EmptyState } from '@slipway/ui/EmptyState.tsx';
import { Mark } from '@slipway/ui/Mark.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/Panel.tsx';
import { RelativeTime } from '@slipway/ui/RelativeTime.tsx';
import { Skeleton } from '@slipway/ui/Skeleton.tsx';
import { Loading } from '@slipway/ui/Loading.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { VisuallyHidden } from '@slipway/ui/VisuallyHidden.tsx';
import { useState } from 'react';
import type * as z from 'zod/mini';
import type { FailedQuery } from '#api/query.ts';
import { ListError } from '#lib/LoadError.tsx';
import css from './EventsPanel.module.css';

type Event = z.infer<typeof InstanceEvent>;

const tones: Readonly<Record<Event['type'], Tone>> = {
  added: 'off',
  running: 'ok',
  modified: 'off',
  unhealthy: 'warn',
  warning: 'warn',
  error: 'bad',
  deleted: 'idle',
  bookmarked: 'off',
};
const shownFirst = 8;

/** `ProbeFailed` → `Probe failed`. */
const words = (reason: string): string => {
  const text = reason.replace(/([a-z])([A-Z])/g, '$1 $2');
  return (
    text.charAt(0) +
    text
      .slice(1)
      .toLowerCase()
      .replace(/\boom\b/, 'OOM')
  );
};

export function EventsPanel({ events, query, service }: { events: readonly Event[] | undefined; query: FailedQuery; service: string }) {
  const [isWhole, setWhole] = useState(false);
  const rows = isWhole ? events : events?.slice(0, shownFirst);
  const hidden = (events?.length ?? 0) - (rows?.length ?? 0);
  return (
    <Panel aria-labelledby="events">
      <PanelHead title="Events" titleId="events" {...(events && events.length > 0 ? { note: 'newest first' } : {})} />
      {query.error && !events ? (
        <ListError what="events" query={query} />
      ) : (
        <Loading
          isLoading={!events}
          label="Loading events"
          skeleton={
            <div className={css.skeleton}>
              <Skeleton height={18} />
            </div>
          }
        >
          {rows?.length === 0 ? (
            <EmptyState kind="first-use" isCompact title="Nothing has happened yet">
              Starts, failed probes, exits and stops of the instances are written here.
            </EmptyState>
          ) : (
            <ul className={css.events}>
              {rows?.map((event, index) => (
                <EventRow key={`${event.instance}-${event.reason}-${event.at}-${index}`} event={event} service={service} />
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

function EventRow({ event, service }: { event: Event; service: string }) {
  const { type, reason, message, instance, count, lastAt, at } = event;
  return (
    <li className={css.event}>
      <Mark tone={tones[type]} className={css.mark} />
      <VisuallyHidden>{type}: </VisuallyHidden>
      <div className={css.words}>
        <div>
          <strong>{words(reason)}</strong>
          {count > 1 && <span className="quiet num"> {count} times</span>}
        </div>
        <p className="quiet dense">{message}</p>
        <p className="meta">
          <code className={css.instance}>{instance.replace(`${service}-`, '')}</code>
          {count > 1 && (
            <>
              {' '}
              · first <RelativeTime at={at} />
            </>
          )}
        </p>
      </div>
      <span className="meta num">
        <RelativeTime at={lastAt} />
      </span>
    </li>
  );
}
