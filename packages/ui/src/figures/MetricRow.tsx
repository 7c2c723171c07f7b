// Current metrics of a service: a row of readings, each with its context, most with a sparkline.
import type { ReactNode } from 'react';
import { Link } from '../layout/Link.tsx';
import css from './MetricRow.module.css';

export interface MetricReading {
  label: string;
  /** Context at the right of the label: the limit, the target, the span. */
  note?: ReactNode;
  value: ReactNode;
  unit?: ReactNode;
  href?: string;
  /** Spark or InstanceDots; a Spark with `isEdge` fills the cell's width. */
  chart?: ReactNode;
  isEdge?: boolean;
}

function Reading({ reading }: { reading: MetricReading }) {
  return (
    <>
      <span className={css.label}>
        {reading.label} {reading.note !== undefined && <span>{reading.note}</span>}
      </span>
      <span className={css.value}>
        {reading.value} {reading.unit !== undefined && <small>{reading.unit}</small>}
      </span>
      {reading.chart !== undefined && <span className={reading.isEdge ? css.edge : css.chart}>{reading.chart}</span>}
    </>
  );
}

export function MetricRow({ label, readings }: { label: string; readings: MetricReading[] }) {
  return (
    <section className={css.now} aria-label={label}>
      {readings.map((reading) =>
        reading.href === undefined ? (
          <div key={reading.label} className={css.cell}>
            <Reading reading={reading} />
          </div>
        ) : (
          <Link key={reading.label} className={css.cell} href={reading.href}>
            <Reading reading={reading} />
          </Link>
        ),
      )}
    </section>
  );
}
