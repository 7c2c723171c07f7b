/** The charts' values as a table, newest or oldest first, for screen readers and for copying. */
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import type { Span } from './chart-frame.ts';
import { short, type Measured, type MeasureLook } from './figures.ts';
import css from './FiguresPanel.module.css';
import type { ChartMarker } from './TimeChart.tsx';
import { timeText } from './time-ticks.ts';

interface Row {
  at: number;
  index: number;
  /** Deployments during this step. */
  deploys: string;
}

export interface FiguresTableProps<Key extends string> {
  measures: readonly MeasureLook<Key>[];
  shown: Measured<Key>;
  span: Span;
  markers: readonly ChartMarker[];
  isOldestFirst: boolean;
  onOrder: (isOldestFirst: boolean) => void;
}

const rowsOf = ({ shown, span, markers, isOldestFirst }: Omit<FiguresTableProps<string>, 'measures' | 'onOrder'>): Row[] => {
  const { times, points } = shown.frame;
  const rows = times.flatMap((at, index): Row[] => {
    if (!points[index] || at < span.from || at > span.to) return [];
    const next = times[index + 1] ?? Number.POSITIVE_INFINITY;
    const deploys = markers.filter((marker) => marker.at >= at && marker.at < next).map(({ label }) => label);
    return [{ at, index, deploys: deploys.join('; ') }];
  });
  return isOldestFirst ? rows : rows.toReversed();
};

export function FiguresTable<Key extends string>(props: FiguresTableProps<Key>) {
  const { measures, shown, span, isOldestFirst, onOrder } = props;
  const columns: Column<Row>[] = [
    {
      key: 'time',
      header: 'Time',
      isSortable: true,
      cell: ({ at }) => (
        <time dateTime={new Date(at * 1000).toISOString()} className="num">
          {timeText(at, span.to - span.from)}
        </time>
      ),
    },
    ...measures.map(({ key, title, unit }): Column<Row> => ({
      key,
      header: `${title} ${unit}`,
      align: 'end',
      cell: ({ index }) => {
        const value = shown.rows[key].values[index] ?? null;
        return <span className="num">{value === null ? '–' : short(value)}</span>;
      },
    })),
    { key: 'deploys', header: 'Deploys', cell: ({ deploys }) => deploys },
  ];
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A scrolling box must be reachable without a mouse.
    <div className={css.table} role="region" aria-label="Figures" tabIndex={0}>
      <Table
        label={isOldestFirst ? 'Figures, oldest first' : 'Figures, newest first'}
        density="compact"
        phone="table"
        columns={columns}
        rows={rowsOf(props)}
        rowKey={({ at }) => String(at)}
        sort={{ key: 'time', isDescending: !isOldestFirst }}
        onSort={() => onOrder(!isOldestFirst)}
      />
    </div>
  );
}
