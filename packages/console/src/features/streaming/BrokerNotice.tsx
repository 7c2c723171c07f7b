/** What the cluster of the environment is, where that is worth a word: a development broker, or one that does not answer. */
import type { StreamingInfo } from '@slipway/contract/streaming/streaming.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { useStreamingInfo, type EventsPlace } from './use-place.ts';

export function BrokerNotice({ info: { cluster, registry } }: { info: StreamingInfo }) {
  if (cluster.state === 'UNREACHABLE') {
    return (
      <Notice tone="warn" isLive>
        <strong>The Kafka cluster {cluster.name} does not answer.</strong> What is shown was seen before. Changes wait until it does.
      </Notice>
    );
  }
  if (registry.state === 'UNREACHABLE') {
    return (
      <Notice tone="warn" isLive>
        <strong>The schema registry does not answer.</strong> Schemas are shown as they were saved; a new version waits until it does.
      </Notice>
    );
  }
  if (cluster.kind !== 'EMBEDDED') return null;
  return (
    <p className="meta">
      Development broker at <code>{cluster.bootstrapServers}</code>: any Kafka client works with it. One node, one replica, no transactions.
    </p>
  );
}

/** On the page of one thing: only where the cluster or the registry does not answer. */
export function AwayNotice({ place }: { place: EventsPlace }) {
  const { data } = useStreamingInfo(place);
  const isAway = data !== undefined && [data.cluster.state, data.registry.state].includes('UNREACHABLE');
  return isAway ? <BrokerNotice info={data} /> : null;
}
