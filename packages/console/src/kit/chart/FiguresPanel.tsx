/** Metrics as charts over one time axis or as a table. Range, zoom and view are in the URL. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { ChartLine, Table2, ZoomOut } from 'lucide-react';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { parseZoom, zoomText, type Span } from './chart-frame.ts';
import { ChartsSkeleton, FigureCharts } from './FigureCharts.tsx';
import css from './FiguresPanel.module.css';
import { FiguresTable } from './FiguresTable.tsx';
import type { Measured, MeasureLook } from './figures.ts';
import type { ChartMarker } from './TimeChart.tsx';
import { timeText } from './time-ticks.ts';

const defaults = { range: '', zoom: '', view: '', order: '' };

/** Returns the range in the URL, or the first range if that is invalid. */
export const useFigureRange = <Range extends string>(ranges: readonly [Range, ...Range[]]): Range => {
  const { state } = useUrlState(defaults);
  return ranges.find((range) => range === state.range) ?? ranges[0];
};

export interface ShownFigures<Key extends string> {
  measured: Measured<Key>;
  whole: Span;
  markers: ChartMarker[];
}

export interface FiguresPanelProps<Key extends string> {
  title: string;
  measures: readonly MeasureLook<Key>[];
  /** Ranges of `useFigureRange` with their labels. */
  ranges: readonly { readonly range: string; readonly label: string }[];
  range: string;
  shown: ShownFigures<Key> | undefined;
  query: FailedQuery;
  /** Note that prevents a wrong reading of the charts. */
  note?: ReactNode;
  /** Shown instead of charts if there are no samples. */
  empty: ReactNode;
  /** True for two charts per row, when the panel shares its row with something else. */
  isNarrow?: boolean;
}

/** Escape resets the zoom before it navigates, wherever the focus is. */
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

export function FiguresPanel<Key extends string>(props: FiguresPanelProps<Key>) {
  const { title, measures, ranges, range, shown, query, note, empty, isNarrow = false } = props;
  const { state, set, hrefOf } = useUrlState(defaults);
  const onLinks = useInPageLinks();
  const zoom = shown && parseZoom(state.zoom, shown.whole);
  const unzoom = (): void => set({ zoom: '' }, { replace: true });
  useEscape(zoom !== undefined, unzoom);
  const isTable = state.view === 'table';
  return (
    <Panel id="metrics" aria-labelledby="metrics-title" onClickCapture={onLinks}>
      <PanelHead title={title} titleId="metrics-title" note={note}>
        {zoom && (
          <Button icon={<ZoomOut aria-hidden="true" />} onClick={unzoom}>
            Whole range
          </Button>
        )}
        <SegmentedLinks
          label="Range"
          items={ranges.map((item, index) => ({
            label: item.label,
            href: hrefOf({ range: index === 0 ? '' : item.range, zoom: '' }),
            isCurrent: item.range === range,
          }))}
        />
        <LinkButton
          href={hrefOf({ view: isTable ? '' : 'table' })}
          icon={isTable ? <ChartLine aria-hidden="true" /> : <Table2 aria-hidden="true" />}
        >
          {isTable ? 'Charts' : 'Table'}
        </LinkButton>
      </PanelHead>
      {query.error && !shown ? (
        <ListError what="figures" query={query} />
      ) : (
        <Loading isLoading={!shown} label="Loading figures" skeleton={<ChartsSkeleton measures={measures} isNarrow={isNarrow} />}>
          {shown && !shown.measured.isAny && empty}
          {shown?.measured.isAny && isTable && (
            <FiguresTable
              measures={measures}
              shown={shown.measured}
              span={zoom ?? shown.whole}
              markers={shown.markers}
              isOldestFirst={state.order === 'oldest'}
              onOrder={(isOldestFirst) => set({ order: isOldestFirst ? 'oldest' : '' }, { replace: true })}
            />
          )}
          {shown?.measured.isAny && !isTable && (
            <div onDoubleClick={unzoom}>
              <FigureCharts
                measures={measures}
                measured={shown.measured}
                markers={shown.markers}
                span={zoom ?? shown.whole}
                syncKey={title}
                isNarrow={isNarrow}
                onZoom={(span) => set({ zoom: zoomText(span) }, { replace: true })}
              />
            </div>
          )}
        </Loading>
      )}
      {shown?.measured.isAny && (
        <Foot
          markers={shown.markers}
          span={zoom ?? shown.whole}
          isTable={isTable}
          isZoomed={zoom !== undefined}
          hasLimit={measures.some(({ key }) => shown.measured.rows[key].limit?.some((value) => value !== null))}
        />
      )}
    </Panel>
  );
}

const markersListed = 4;

interface FootProps {
  markers: ChartMarker[];
  span: Span;
  isTable: boolean;
  isZoomed: boolean;
  hasLimit: boolean;
}

function Foot({ markers, span, isTable, isZoomed, hasLimit }: FootProps) {
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
      {!isTable && hasLimit && (
        <span className={css.deploy}>
          <span aria-hidden="true" className={css.dash} /> Limit
        </span>
      )}
      {!isTable && <span className="push only-wide">{isZoomed ? 'Escape or a double click goes back' : 'Drag to zoom'}</span>}
    </PanelFoot>
  );
}
