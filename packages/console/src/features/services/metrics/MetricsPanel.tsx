/** Metrics of a service or of one of its revisions: six charts, or a table of the same values. */
import { metricRanges, type MetricRange, type MetricSeries } from '@slipway/contract/service/metrics.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { useMemo } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { secondsOf } from '#kit/chart/chart-frame.ts';
import { FiguresPanel, useFigureRange, type ShownFigures } from '#kit/chart/FiguresPanel.tsx';
import type { ServiceRef } from '#entities/paths.ts';
import { markersOf, measuredOf, measures, type ServiceMeasure } from './measures.ts';

const rangeNames: Readonly<Record<MetricRange, string>> = { '1h': '1 h', '6h': '6 h', '24h': '24 h', '14d': '14 d' };

/** The range in the URL. Invalid values mean one hour. */
export const useMetricRange = (): MetricRange => useFigureRange(metricRanges);

export interface MetricsPanelProps {
  place: ServiceRef;
  series: MetricSeries | undefined;
  query: FailedQuery;
  /** A note that prevents misreading. */
  note?: string;
}

const useShown = (place: ServiceRef, series: MetricSeries | undefined): ShownFigures<ServiceMeasure['key']> | undefined => {
  const { app, env, service } = place;
  return useMemo(
    () =>
      series && {
        measured: measuredOf(series),
        whole: { from: secondsOf(series.from), to: secondsOf(series.to) },
        markers: markersOf({ app, env, service }, series.markers),
      },
    [series, app, env, service],
  );
};

export function MetricsPanel({ place, series, query, note }: MetricsPanelProps) {
  const range = useMetricRange();
  return (
    <FiguresPanel
      title="Metrics"
      measures={measures}
      ranges={metricRanges.map((name) => ({ range: name, label: rangeNames[name] }))}
      range={range}
      shown={useShown(place, series)}
      query={query}
      note={note}
      empty={<NoFigures range={range} />}
    />
  );
}

function NoFigures({ range }: { range: MetricRange }) {
  if (range === '1h') {
    return (
      <EmptyState kind="first-use" isCompact title="No figures yet: they are taken every 15 seconds">
        CPU and memory need an instance that runs, requests somebody who asks.
      </EmptyState>
    );
  }
  return (
    <EmptyState kind="first-use" isCompact title="No figures for this range yet">
      They are taken every 15 seconds, and gathered for the longer ranges after a while. The last hour shows them at once.
    </EmptyState>
  );
}
