/** What was measured, as six charts over one time axis or as a table of the same figures. Range, zoom and view live in the address. */
import { metricRanges, type MetricRange, type MetricSeries } from '@slipway/contract/service/metrics.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { ChartLine, Table2, ZoomOut } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { parseZoom, secondsOf, zoomText, type Span } from '#kit/chart/chart-frame.ts';
import type { ChartMarker } from '#kit/chart/TimeChart.tsx';
import { timeText } from '#kit/chart/time-ticks.ts';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { ListError } from '#kit/list/ListError.tsx';
import type { ServiceRef } from '#entities/paths.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { markersOf, measuredOf, type Measured } from './measures.ts';
import { MetricCharts, ChartsSkeleton } from './MetricCharts.tsx';
import css from './MetricsPanel.module.css';
import { MetricsTable } from './MetricsTable.tsx';

const defaults = { range: '1h', zoom: '', view: '', order: '' };
const rangeNames: Readonly<Record<MetricRange, string>> = { '1h': '1 h', '6h': '6 h', '24h': '24 h', '14d': '14 d' };

/** The range in the address; nonsense is an hour. */
export const useMetricRange = (): MetricRange => {
  const { state } = useUrlState(defaults);
  return metricRanges.find((range) => range === state.range) ?? '1h';
};

export interface MetricsPanelProps {
  place: ServiceRef;
  series: MetricSeries | undefined;
  query: FailedQuery;
  /** What a reader could take for something else. */
  note?: string;
}

interface Shown {
  measured: Measured;
  whole: Span;
  markers: ChartMarker[];
}

const useShown = (place: ServiceRef, series: MetricSeries | undefined): Shown | undefined => {
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

/** Escape goes back from a zoom before it goes anywhere else, wherever the focus is. */
const useEscape = (isOn: boolean, back: () => void): void => {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]')) return;
    event.preventDefault();
    event.stopPropagation();
    back();
  });
  useEffect(() => {
    if (!isOn) return;
    addEventListener('keydown', onEscape, { capture: true });
    return () => removeEventListener('keydown', onEscape, { capture: true });
  }, [isOn]);
};

export function MetricsPanel({ place, series, query, note }: MetricsPanelProps) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const range = useMetricRange();
  const onLinks = useInPageLinks();
  const shown = useShown(place, series);
  const zoom = shown && parseZoom(state.zoom, shown.whole);
  const unzoom = (): void => set({ zoom: '' }, { replace: true });
  useEscape(zoom !== undefined, unzoom);
  const isTable = state.view === 'table';
  return (
    <Panel id="metrics" aria-labelledby="metrics-title" onClickCapture={onLinks}>
      <PanelHead title="Metrics" titleId="metrics-title" note={note}>
        {zoom && (
          <Button icon={<ZoomOut aria-hidden="true" />} onClick={unzoom}>
            Whole range
          </Button>
        )}
        <SegmentedLinks
          label="Range"
          items={metricRanges.map((name) => ({
            label: rangeNames[name],
            href: hrefOf({ range: name, zoom: '' }),
            isCurrent: name === range,
          }))}
        />
        <LinkButton
          href={hrefOf({ view: isTable ? '' : 'table' })}
          icon={isTable ? <ChartLine aria-hidden="true" /> : <Table2 aria-hidden="true" />}
        >
          {isTable ? 'Charts' : 'Table'}
        </LinkButton>
      </PanelHead>
      {query.error && !series ? (
        <ListError what="figures" query={query} />
      ) : (
        <Loading isLoading={!shown} label="Loading figures" skeleton={<ChartsSkeleton />}>
          {shown && !shown.measured.isAny && <NoFigures range={range} />}
          {shown?.measured.isAny && isTable && (
            <MetricsTable
              shown={shown.measured}
              span={zoom ?? shown.whole}
              markers={shown.markers}
              isOldestFirst={state.order === 'oldest'}
              onOrder={(isOldestFirst) => set({ order: isOldestFirst ? 'oldest' : '' }, { replace: true })}
            />
          )}
          {shown?.measured.isAny && !isTable && (
            <div onDoubleClick={unzoom}>
              <MetricCharts {...shown} span={zoom ?? shown.whole} onZoom={(span) => set({ zoom: zoomText(span) }, { replace: true })} />
            </div>
          )}
        </Loading>
      )}
      {shown?.measured.isAny && <Foot markers={shown.markers} span={zoom ?? shown.whole} isTable={isTable} isZoomed={zoom !== undefined} />}
    </Panel>
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

const markersListed = 4;

function Foot({ markers, span, isTable, isZoomed }: { markers: ChartMarker[]; span: Span; isTable: boolean; isZoomed: boolean }) {
  const inView = markers.filter(({ at }) => at >= span.from && at <= span.to);
  return (
    <PanelFoot>
      {inView.slice(-markersListed).map(({ at, label, href }) => (
        <span key={`${label}-${at}`} className={css.deploy}>
          <span aria-hidden="true">▼</span> <Link href={href}>{label}</Link>{' '}
          <span className="num">{timeText(at, span.to - span.from)}</span>
        </span>
      ))}
      {inView.length > markersListed && <span>and {inView.length - markersListed} before</span>}
      {!isTable && (
        <span className={css.deploy}>
          <span aria-hidden="true" className={css.dash} /> Limit
        </span>
      )}
      {!isTable && <span className="push only-wide">{isZoomed ? 'Escape or a double click goes back' : 'Drag to zoom'}</span>}
    </PanelFoot>
  );
}
