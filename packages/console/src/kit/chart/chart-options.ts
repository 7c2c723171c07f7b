/** uPlot options: depth colors for quantities, a limit as a dashed load line with its disc, deployments as lines from the top. */
import type uPlot from 'uplot';
import { limitSteps, loneValues, roundTop } from './chart-frame.ts';
import { tickSteps, tickText } from './time-ticks.ts';
import type { ChartColours } from './use-chart-colours.ts';

export type Values = readonly (number | null)[];
export interface ChartData {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly values: Values;
  /** A limit, drawn as a load line; it may change over time. */
  readonly limit?: Values | undefined;
}

/** Fixed sizes, so that all charts of a column align to the pixel and markers can be positioned over them. */
export const axisPx = 44;
export const topPx = 14;
export const endPx = 18;
const bottomPx = 26;
const fontPx = 12;

export interface ChartLook {
  colours: ChartColours;
  font: string;
  format: (value: number) => string;
  /** Lowest top of the scale. */
  atLeast: number;
  /** Highest top of the scale. */
  atMost: number;
  syncKey: string;
  /** Times of the deployments in view, seconds since 1970. */
  markers: () => readonly number[];
  onSelect: (from: number, to: number) => void;
  onCursor: (index: number | null) => void;
}

const highestOf = (chart: uPlot): number => {
  let highest = 0;
  for (const row of chart.data.slice(1)) for (const value of row) if (typeof value === 'number' && value > highest) highest = value;
  return highest;
};

const drawMarkers = (chart: uPlot, { colours, markers }: ChartLook): void => {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = colours.marker;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([]);
  for (const seconds of markers()) {
    const x = Math.round(chart.valToPos(seconds, 'x', true)) + 0.5;
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - 4 * devicePixelRatio);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
};

/** Draws the load line over the whole width, even where there are no samples, with its disc at the left end. */
const drawLimit = (chart: uPlot, { colours }: ChartLook): void => {
  const { min, max } = chart.scales['x'] ?? {};
  if (min == null || max == null) return;
  const steps = limitSteps(chart.data[0], chart.data[2] ?? [], { from: min, to: max });
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = colours.limit;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  for (const [index, { from, to, value }] of steps.entries()) {
    const y = Math.round(chart.valToPos(value, 'y', true)) + 0.5;
    ctx[index === 0 ? 'moveTo' : 'lineTo'](chart.valToPos(from, 'x', true), y);
    ctx.lineTo(chart.valToPos(to, 'x', true), y);
  }
  ctx.stroke();
  const first = steps[0];
  if (first) drawDisc(ctx, bbox.left + 4 * devicePixelRatio, chart.valToPos(first.value, 'y', true));
  ctx.restore();
};

const drawDisc = (ctx: CanvasRenderingContext2D, x: number, y: number): void => {
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.arc(x, y, 3 * devicePixelRatio, 0, 2 * Math.PI);
  // Clears the disc's area, so that the line does not run through it.
  ctx.globalCompositeOperation = 'destination-out';
  ctx.fill();
  ctx.globalCompositeOperation = 'source-over';
  ctx.stroke();
};

const axesOf = ({ colours, font, format }: ChartLook): uPlot.Axis[] => {
  const shared = { stroke: colours.text, font: `${fontPx}px ${font}`, ticks: { show: false } };
  return [
    {
      ...shared,
      size: bottomPx,
      space: 64,
      incrs: tickSteps,
      grid: { show: false },
      values: (_, ticks, __, ___, step) => ticks.map((tick) => tickText(tick, step)),
    },
    { ...shared, size: axisPx, space: 26, gap: 4, grid: { stroke: colours.grid, width: 1 }, values: (_, ticks) => ticks.map(format) },
  ];
};

export const chartOptions = (look: ChartLook, size: { width: number; height: number }): uPlot.Options => {
  const { colours, syncKey, onSelect, onCursor, atLeast, atMost } = look;
  return {
    ...size,
    padding: [topPx, endPx, 0, 0],
    legend: { show: false },
    scales: { x: { time: true }, y: { range: (chart) => [0, Math.min(roundTop(highestOf(chart), atLeast), atMost)] } },
    axes: axesOf(look),
    series: [
      {},
      {
        stroke: colours.line,
        fill: colours.area,
        width: 1.5,
        spanGaps: false,
        points: { size: 6, fill: colours.line, show: false, filter: (chart, index) => loneValues(chart.data[index] ?? []) },
      },
      // The limit is drawn by hand, because it also spans times without samples.
      { paths: () => null, points: { show: false } },
    ],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 5 },
      // Other charts follow only the pointer: a selection belongs to the chart it was made in.
      sync: { key: syncKey, filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' } as uPlot.Cursor.Sync['filters'] },
      // No dot for the limit: it would hide the dot of the metric.
      points: { size: (_, index) => (index === 1 ? 7 : 0), fill: colours.line },
      // Turns off the reset by double click: the panel owns the zoom.
      bind: { dblclick: () => null },
    },
    hooks: {
      draw: [(chart) => drawLimit(chart, look), (chart) => drawMarkers(chart, look)],
      setCursor: [(chart) => onCursor(chart.cursor.idx ?? null)],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width > 0) onSelect(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
          if (width > 0) chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
};
