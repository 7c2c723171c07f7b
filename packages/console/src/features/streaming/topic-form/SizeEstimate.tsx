/** Estimates a topic's disk usage from its traffic. The estimate is not saved. */
import { sizeEstimate, type SizeEstimate as Estimate, type Traffic } from '@slipway/contract/streaming/topic-size.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { NumberField } from '@slipway/ui/form/NumberField.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { useState } from 'react';
import css from './SizeEstimate.module.css';

export type Kept = Parameters<typeof sizeEstimate>[0];

const words = (
  kept: Kept,
  { messagesPerSecond, averageBytes }: Traffic,
  { oneReplicaBytes, partitionBytesPerSecond }: Estimate,
): string => {
  const flow = `One partition takes ${bytes(partitionBytesPerSecond)} per s; comfortable up to 1 MB per s.`;
  if (oneReplicaBytes === null) return `The newest message of each key is kept, and nobody knows how many keys there will be. ${flow}`;
  return `${messagesPerSecond} × ${averageBytes} bytes × ${kept.retentionHours} h = ${bytes(oneReplicaBytes)}, times ${kept.replicationFactor} replicas. ${flow}`;
};

export function SizeEstimate({ kept }: { kept: Kept }) {
  const [rate, setRate] = useState<number | null>(10);
  const [size, setSize] = useState<number | null>(500);
  const traffic = { messagesPerSecond: rate ?? 0, averageBytes: size ?? 0 };
  const estimate = sizeEstimate(kept, traffic);
  return (
    <Panel aria-labelledby="size-estimate">
      <PanelHead title="Size estimate" titleId="size-estimate" note="Guess the traffic; nothing is stored" />
      <PanelBody className="stack stack-12">
        <div className="pair">
          <Field label="Messages">
            <NumberField unit="per s" min={0} value={rate} onChange={setRate} />
          </Field>
          <Field label="Average size">
            <NumberField unit="bytes" min={0} value={size} onChange={setSize} />
          </Field>
        </div>
        <p className={css.sum} role="status">
          <b>{estimate.allReplicasBytes === null ? 'Depends on the keys' : bytes(estimate.allReplicasBytes)}</b>
          {estimate.allReplicasBytes !== null && <span className="quiet">on disk when full</span>}
        </p>
        <p className="meta">{words(kept, traffic, estimate)}</p>
        {!estimate.isComfortable && <Status tone="warn">Take more partitions: this is much for one.</Status>}
      </PanelBody>
    </Panel>
  );
}
