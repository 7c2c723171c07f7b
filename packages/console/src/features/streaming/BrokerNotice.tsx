/** Notices about the environment's engines: a development broker, or an unreachable cluster or registry. */
import type { StreamingInfo } from '@slipway/contract/streaming/streaming.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import type { ReactNode } from 'react';
import { useStreamingInfo, type EventsPlace } from './use-place.ts';

const seenBefore = 'What is shown was seen before.';

/** Names the unreachable engine and the consequences for the page. */
const awayText = ({ cluster, registry, environmentClass }: StreamingInfo): ReactNode => {
  const isRegistryAway = registry.state === 'UNREACHABLE';
  if (cluster.state === 'UNREACHABLE') {
    return (
      <>
        <strong>
          The Kafka cluster {cluster.name} {isRegistryAway ? 'and the schema registry do' : 'does'} not answer.
        </strong>{' '}
        {seenBefore} Changes wait until {isRegistryAway ? 'they do' : 'it does'}.
      </>
    );
  }
  if (!isRegistryAway) return undefined;
  if (registry.url === null) {
    return (
      <>
        <strong>No schema registry is set up for {environmentClass}.</strong> Schemas and topics cannot be made there before an operator
        names one.
      </>
    );
  }
  return (
    <>
      <strong>The schema registry does not answer.</strong> {seenBefore} Changes of schemas and topics wait until it does.
    </>
  );
};

/** Renders only if the cluster or the registry is unreachable. */
export function AwayNotice({ place }: { place: EventsPlace }) {
  const { data } = useStreamingInfo(place);
  const text = data && awayText(data);
  return text ? (
    <Notice tone="warn" isLive>
      {text}
    </Notice>
  ) : null;
}

/** Client settings that the environment's cluster refuses, or undefined while the cluster is unknown. */
export const useRefusedSettings = (place: EventsPlace): string | undefined => {
  const { cluster } = useStreamingInfo(place).data ?? {};
  return cluster && refusedSettings[cluster.kind];
};
/** No account has a right to transactional ids, so Apache Kafka refuses transactions, too. */
const refusedSettings: Readonly<Record<StreamingInfo['cluster']['kind'], string>> = {
  EMBEDDED: 'Transactions (transactional.id) and the newer groups (group.protocol=consumer)',
  KAFKA: 'Transactions (transactional.id)',
};

export function BrokerAddress({ place }: { place: EventsPlace }) {
  const { cluster } = useStreamingInfo(place).data ?? {};
  const refused = useRefusedSettings(place);
  if (cluster?.kind !== 'EMBEDDED' || cluster.state === 'UNREACHABLE') return null;
  return (
    <p className="meta">
      Development broker at <code>{cluster.bootstrapServers}</code>: any Kafka client works with it. One node, one replica. Not offered:{' '}
      {refused}.
    </p>
  );
}
