/** Marks on the time axis in words: which revision came, and by what. */
import type { MetricSeries } from '@slipway/contract/metrics.ts';
import { secondsOf } from '#kit/chart/chart-frame.ts';
import type { ChartMarker } from '#kit/chart/TimeChart.tsx';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { reasonName } from '#features/services/service-labels.ts';

export const markersOf = (place: ServiceRef, markers: MetricSeries['markers']): ChartMarker[] =>
  markers.map(({ at, revision, type, text }) => ({
    at: secondsOf(at),
    label: `${revision}, ${reasonName(type).toLowerCase()}${text ? `: ${text.split('\n')[0]}` : ''}`,
    href: paths.revision({ ...place, revision }),
  }));
