/** Charts over one time axis with a shared cursor. Each chart shows its value at the cursor, or its newest value. */
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { lazy, memo, Suspense, useState } from 'react';
import type { Span } from './chart-frame.ts';
import { newest, short, type Measured, type MeasureLook } from './figures.ts';
import css from './FiguresPanel.module.css';
import type { ChartMarker } from './TimeChart.tsx';
import { timeText } from './time-ticks.ts';

const TimeChart = memo(lazy(() => import('./TimeChart.tsx')));

const heightPx = 128;

export interface FigureChartsProps<Key extends string> {
  measures: readonly MeasureLook<Key>[];
  measured: Measured<Key>;
  markers: ChartMarker[];
  span: Span;
  /** Charts with the same key share their cursor. */
  syncKey: string;
  isNarrow: boolean;
  onZoom: (span: Span) => void;
}

export function FigureCharts<Key extends string>(props: FigureChartsProps<Key>) {
  const { measures, measured, markers, span, syncKey, isNarrow, onZoom } = props;
  const [cursor, setCursor] = useState<number | null>(null);
  const at = cursor === null ? undefined : measured.frame.times[cursor];
  return (
    <div className={css.charts} data-narrow={isNarrow || undefined}>
      {measures.map((measure) => {
        const { values, limit } = measured.rows[measure.key];
        return (
          <div key={measure.key} className={css.chart}>
            <div className={css.head}>
              <span>
                {measure.title} <span className="meta">{measure.unit}</span>
              </span>
              <Value
                value={cursor === null ? newest(values) : (values[cursor] ?? null)}
                time={at === undefined ? undefined : timeText(at, span.to - span.from)}
              />
            </div>
            <Suspense fallback={<Skeleton height={heightPx} />}>
              <TimeChart
                label={summary(measure, values)}
                times={measured.frame.times}
                values={values}
                limit={limit}
                span={span}
                markers={markers}
                format={short}
                atLeast={measure.atLeast}
                atMost={measure.atMost}
                syncKey={syncKey}
                height={heightPx}
                onSelect={onZoom}
                onCursor={setCursor}
              />
            </Suspense>
          </div>
        );
      })}
    </div>
  );
}

const summary = ({ title, unit }: MeasureLook, values: readonly (number | null)[]): string => {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return `${title}: not measured`;
  return `${title}: from ${short(Math.min(...known))} to ${short(Math.max(...known))} ${unit}, now ${short(known.at(-1) ?? 0)}`;
};

function Value({ value, time }: { value: number | null; time: string | undefined }) {
  return (
    <span className={css.value}>
      {time !== undefined && <span className="meta num">{time}</span>}{' '}
      <strong className="num">{value === null ? '–' : short(value)}</strong>
    </span>
  );
}

export function ChartsSkeleton({ measures, isNarrow }: { measures: readonly MeasureLook[]; isNarrow: boolean }) {
  return (
    <div className={css.charts} data-narrow={isNarrow || undefined}>
      {measures.map(({ key }) => (
        <div key={key} className={css.chart}>
          <div className={css.head}>
            <Skeleton width={90} />
          </div>
          <Skeleton height={heightPx} />
        </div>
      ))}
    </div>
  );
}
