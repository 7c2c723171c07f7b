/** Events processing of an app: topics, schemas and accounts in one environment, and requests between teams. */
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Count } from '@slipway/ui/layout/TabsNav.tsx';
import { Outlet, useLocation } from 'react-router';
import { paths, type EventsPart } from '#entities/paths.ts';
import { useWaitingRequests } from '#entities/streaming/use-waiting-requests.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { AwayNotice, BrokerAddress } from './BrokerNotice.tsx';
import { useEventsPlace } from './use-place.ts';

const parts: readonly (readonly [EventsPart, string])[] = [
  ['topics', 'Topics'],
  ['schemas', 'Schemas'],
  ['accounts', 'Accounts'],
  ['requests', 'Requests'],
];

export function Component() {
  const { at, place } = useEventsPlace();
  const waiting = useWaitingRequests({ app: at.app, env: at.env ?? '' }, at.isMember === true && at.env !== undefined);
  const [, , , , , current = 'topics'] = useLocation().pathname.split('/');
  if (place === undefined) return null;
  return (
    <div className="stack stack-12">
      <div className="row row-wrap">
        <SegmentedLinks
          label="Events processing"
          items={parts.map(([part, label]) => ({
            label:
              part === 'requests' && waiting !== undefined ? (
                <>
                  {label} <Count value={waiting} kind="request" />
                </>
              ) : (
                label
              ),
            // The first list has the tab's URL.
            href: part === 'topics' ? paths.events(place) : paths.events(place, part),
            isCurrent: part === current,
          }))}
        />
        <NewLink className="push" label="New stream" href={paths.newStream(place)} reason={at.createReason} />
      </div>
      <AwayNotice place={place} />
      <BrokerAddress place={place} />
      <Outlet />
    </div>
  );
}
