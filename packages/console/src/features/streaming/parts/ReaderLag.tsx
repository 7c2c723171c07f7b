/** A reader's lag relative to retention: a bar that ends where messages are deleted. */
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { lagWarnings } from '@slipway/contract/streaming/topic-status.ts';
import css from './ReaderLag.module.css';
import type { Behind as BehindOf } from '#features/streaming/streaming-labels.ts';

export function ReaderLag({ behind, kept }: { behind: BehindOf; kept: string }) {
  const { share, label, tone } = behind;
  const words = <span className={tone === 'ok' ? undefined : `strong tone-${tone}`}>{label}</span>;
  // No bar for a compacted topic, which has no retention time, and none if the lag time is unknown.
  if (share === null) return <span className={css.words}>{words}</span>;
  return (
    <span className={css.behind}>
      <Gauge label={`${label} behind, of ${kept} kept`} value={share} of={1} limit={1} hotFrom={lagWarnings.look}>
        {words}
      </Gauge>
    </span>
  );
}
