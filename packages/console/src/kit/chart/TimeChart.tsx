/**
 * One metric over time, drawn by uPlot, which only this file loads. Hovering moves the cursor of all charts with the same key; dragging
 * selects a span to zoom into. Screen readers see one labeled image; the values are also in a table.
 */
import { cssVars } from '@slipway/ui/css-vars.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shareOf, type Span } from './chart-frame.ts';
import { axisPx, chartOptions, endPx, type ChartData, type ChartLook } from './chart-options.ts';
import css from './TimeChart.module.css';
import { useChartColours, type ChartColours } from './use-chart-colours.ts';

export interface ChartMarker {
  /** Seconds since 1970. */
  at: number;
  label: string;
  href: string;
}

export interface TimeChartProps extends ChartData {
  /** Text alternative of the chart. */
  label: string;
  span: Span;
  markers: readonly ChartMarker[];
  format: (value: number) => string;
  /** Minimum of the scale's top, so that small values don't look large. */
  atLeast: number;
  /** Maximum of the scale's top, for bounded metrics. */
  atMost?: number | undefined;
  syncKey: string;
  /** Height in px, axis included. */
  height: number;
  onSelect: (span: Span) => void;
  /** Called with the index of the time under the pointer, on this chart or another one with the same key. */
  onCursor: (index: number | null) => void;
}

export default function TimeChart(props: TimeChartProps) {
  const { label, markers, span, height } = props;
  const host = useRef<HTMLDivElement>(null);
  const colours = useChartColours(host);
  usePlot(host, colours, props);
  return (
    <div className={css.chart} style={cssVars({ '--height': `${height}px`, '--axis': `${axisPx}px`, '--end': `${endPx}px` })}>
      <div ref={host} className={css.plot} role="img" aria-label={label} />
      {markers.map((marker) => (
        <Marker key={`${marker.label}-${marker.at}`} marker={marker} share={shareOf(marker.at, span)} />
      ))}
    </div>
  );
}

/** Hidden from screen readers and the Tab key: the list of deployments below the charts has the same links. */
function Marker({ marker, share }: { marker: ChartMarker; share: number | undefined }) {
  if (share === undefined) return null;
  return (
    <span className={css.place} style={cssVars({ '--share': share })} aria-hidden="true">
      <Link className={css.marker} href={marker.href} tabIndex={-1} title={marker.label} />
    </span>
  );
}

const dataOf = ({ times, values, limit }: ChartData): uPlot.AlignedData => [
  [...times],
  [...values],
  limit ? [...limit] : times.map(() => null),
];

/** Makes a new plot when the colors change. New values or another span update the existing plot, so that nothing jumps. */
const usePlot = (host: RefObject<HTMLDivElement | null>, colours: ChartColours | undefined, props: TimeChartProps): void => {
  const plot = useRef<uPlot>(undefined);
  const { times, values, limit, span, height, markers } = props;
  // The plot draws the markers on every redraw, so it needs the current ones.
  const latest = useRef(markers);
  useLayoutEffect(() => {
    latest.current = markers;
  });
  const onSelect = useEffectEvent((from: number, to: number) => props.onSelect({ from, to }));
  const onCursor = useEffectEvent((index: number | null) => props.onCursor(index));
  const make = useEffectEvent((element: HTMLElement, drawn: ChartColours): uPlot => {
    const look: ChartLook = {
      colours: drawn,
      font: getComputedStyle(element).fontFamily,
      format: props.format,
      atLeast: props.atLeast,
      atMost: props.atMost ?? Number.POSITIVE_INFINITY,
      syncKey: props.syncKey,
      markers: () => latest.current.map(({ at }) => at),
      onSelect,
      onCursor,
    };
    const made = new uPlot(chartOptions(look, { width: element.clientWidth, height }), dataOf(props), element);
    made.setScale('x', { min: span.from, max: span.to });
    return made;
  });
  useEffect(() => {
    const element = host.current;
    if (!element || !colours) return;
    const made = make(element, colours);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [host, colours, height]);
  const { from, to } = span;
  useEffect(() => {
    const made = plot.current;
    made?.batch(() => {
      made.setData(dataOf({ times, values, limit }), false);
      made.setScale('x', { min: from, max: to });
    });
  }, [times, values, limit, from, to, markers]);
};
