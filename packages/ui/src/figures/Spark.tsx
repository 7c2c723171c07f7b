// A sparkline as plain SVG. Hovering shows the value and its time; the numbers next to it remain the main content.
import type { PointerEvent } from 'react';
import { useMemo, useState } from 'react';
import { cssVars, percent } from '../css-vars.ts';
import css from './Spark.module.css';

export interface SparkProps {
  /** Text alternative for screen readers; the range is appended. */
  label: string;
  /** Oldest first. Null for missing measurements, where the line breaks. */
  values: (number | null)[];
  /** Formats a value ("412 per min"). */
  format?: (value: number) => string;
  /** Formats the time of an index ("14:05"). */
  timeOf?: (index: number) => string;
  /** Positions of deploys and other events as shares of the width, 0 to 1. */
  markers?: number[];
  /** Minimum top of the scale, so that small values near zero do not look like peaks. */
  atLeast?: number;
}

const WIDTH = 200;
const HEIGHT = 36;
const PAD = 2;

/** Paths of the line and of the area below it, with one segment per run of measured values. */
export function sparkPaths(values: (number | null)[], top: number): { line: string; area: string } {
  const x = (index: number) => Number(((index / Math.max(1, values.length - 1)) * WIDTH).toFixed(1));
  const y = (value: number) => Number((HEIGHT - PAD - (Math.max(0, value) / top) * (HEIGHT - 2 * PAD)).toFixed(1));
  let line = '';
  let area = '';
  let start: number | undefined;
  values.forEach((value, index) => {
    if (value === null) return;
    const isFirst = start === undefined;
    start ??= index;
    line += `${isFirst ? 'M' : 'L'}${x(index)} ${y(value)}`;
    area += `${isFirst ? `M${x(index)} ${HEIGHT}L` : 'L'}${x(index)} ${y(value)}`;
    if (index === values.length - 1 || values[index + 1] === null) {
      area += `L${x(index)} ${HEIGHT}Z`;
      start = undefined;
    }
  });
  return { line, area };
}

export function Spark({ label, values, format = String, timeOf, markers = [], atLeast = 0 }: SparkProps) {
  const [at, setAt] = useState<number>();
  const known = values.filter((value) => value !== null);
  // Leaves room above the highest point, so that the line never touches the number above it.
  const top = Math.max(atLeast, ...known.map((value) => value * 1.15)) || 1;
  const paths = useMemo(() => sparkPaths(values, top), [values, top]);
  const point = (event: PointerEvent<HTMLSpanElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(Math.round(((event.clientX - box.left) / box.width) * (values.length - 1)));
  };
  const value = at === undefined ? undefined : values[at];
  const range =
    known.length === 0
      ? 'no values'
      : `from ${format(Math.min(...known))} to ${format(Math.max(...known))}, now ${format(known.at(-1) ?? 0)}`;
  const share = at === undefined ? 0 : at / Math.max(1, values.length - 1);
  return (
    <span className={css.spark} onPointerMove={point} onPointerLeave={() => setAt(undefined)}>
      <svg className={css.svg} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${range}`}>
        <path className={css.area} d={paths.area} />
        <path className={css.line} d={paths.line} />
        {markers.map((marker) => (
          <path key={marker} className={css.marker} d={`M${(marker * WIDTH).toFixed(1)} 0V${HEIGHT}`} />
        ))}
      </svg>
      {at !== undefined && (
        <span
          className={css.readout}
          aria-hidden="true"
          style={cssVars({ '--x': percent(share) })}
          data-side={share > 0.5 ? 'left' : 'right'}
        >
          <span className={css.words}>
            {value === null || value === undefined ? 'not measured' : format(value)}
            {timeOf !== undefined && <span className={css.time}> {timeOf(at)}</span>}
          </span>
        </span>
      )}
    </span>
  );
}
