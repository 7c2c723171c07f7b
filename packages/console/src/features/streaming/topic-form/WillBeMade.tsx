/** Everything that a new topic creates, with names on the cluster filled in while the user types. */
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Panel, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { MadeList, type MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { Braces, KeyRound, Waves } from 'lucide-react';
import { keptLabel } from '#features/streaming/streaming-labels.ts';
import type { Kept } from './SizeEstimate.tsx';

interface WillBeMadeProps {
  app: string;
  name: string;
  kept: Kept;
  hasKey: boolean;
  /** Lower than wanted if the cluster has fewer brokers. */
  maxReplication: number | null;
}

export function WillBeMade({ app, name, kept, hasKey, maxReplication }: WillBeMadeProps) {
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
  return (
    <section className="stack stack-12" aria-labelledby="will-be-made">
      <div className="row row-baseline">
        <h2 id="will-be-made">What will be made</h2>
        <span className="meta push">{items.length} things, none made yet</span>
      </div>
      <Panel>
        <MadeList label="What will be made" items={items} />
        <PanelFoot>
          <span>If one step fails, what this run has made is taken away again.</span>
        </PanelFoot>
      </Panel>
    </section>
  );
}
