/** A topic's write rate over the last hour as a sparkline. Renders nothing if it was never measured. */
import { Spark } from '@slipway/ui/figures/Spark.tsx';
import { rateLabel } from '#features/streaming/streaming-labels.ts';

/** One sample per two minutes. */
const stepMinutes = 2;
const agoLabel = (steps: number): string => (steps === 0 ? 'now' : `${steps * stepMinutes} min ago`);

export function RateSpark({ rates }: { rates: readonly (number | null)[] }) {
  if (rates.every((rate) => rate === null)) return null;
  return (
    <Spark
      label="Messages per second, last hour"
      values={[...rates]}
      format={(rate) => `${rateLabel(rate)} per s`}
      timeOf={(index) => agoLabel(rates.length - 1 - index)}
      atLeast={1}
    />
  );
}
