/** Everything that a new topic creates, with names on the cluster filled in while the user types. */
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { Braces, KeyRound, Waves } from 'lucide-react';
import { CreationPanel } from '#entities/plan/CreationPanel.tsx';
import { keptLabel } from '#features/streaming/streaming-labels.ts';
import type { Kept } from './SizeEstimate.tsx';

interface TopicPreviewProps {
  app: string;
  name: string;
  kept: Kept;
  hasKey: boolean;
  /** Lower than wanted if the cluster has fewer brokers. */
  maxReplication: number | null;
}

export function TopicPreview({ app, name, kept, hasKey, maxReplication }: TopicPreviewProps) {
  const topic = physicalName(app, name === '' ? '…' : name);
  const { replicationFactor } = kept;
  const isShort = maxReplication !== null && maxReplication < replicationFactor;
  const items: MadeItem[] = [
    ...(hasKey
      ? [{ key: 'key', label: 'Schema of the keys', value: `${topic}-key`, highlight: name, icon: <KeyRound aria-hidden="true" /> }]
      : []),
    { key: 'value', label: 'Schema of the values', value: `${topic}-value`, highlight: name, icon: <Braces aria-hidden="true" /> },
    {
      key: 'topic',
      label: 'Topic',
      value: topic,
      highlight: name,
      icon: <Waves aria-hidden="true" />,
      note: `${count(kept.partitionNumber, 'partition')}, ${count(replicationFactor, 'replica')}, kept ${keptLabel(kept)}${
        isShort ? `. The cluster keeps ${count(maxReplication, 'replica')}: ${replicationFactor} are recorded.` : ''
      }`,
    },
  ];
  return <CreationPanel items={items} />;
}
