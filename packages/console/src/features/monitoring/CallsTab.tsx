/** Calls of pages: how often, how slow, and how many failed. */
import { monitorCallList, monitorRanges, type MonitorCall } from '@slipway/contract/monitoring/readings.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { useFigureRange } from '#kit/chart/FiguresPanel.tsx';
import { useQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { MonitorPlace } from './monitor-place.ts';
import { millisecondsText, rangeLabels, whole } from './monitoring-labels.ts';
import css from './VitalCards.module.css';

const defaults = { range: '' };
const columns: Column<MonitorCall>[] = [
  { key: 'name', header: 'URL', phone: 'title', cell: ({ name }) => <code className={css.way}>{name}</code> },
  {
    key: 'p75',
    header: '75th percentile',
    align: 'end',
    phone: 'end',
    cell: ({ p75 }) => <span className="num">{millisecondsText(p75)}</span>,
  },
  {
    key: 'count',
    header: 'Calls',
    align: 'end',
    phone: 'meta',
    cell: ({ count: calls }) => (
      <span className="num">
        {whole(calls)}
        <span className="only-phone">{calls === 1 ? ' call' : ' calls'}</span>
      </span>
    ),
  },
  {
    key: 'failed',
    header: 'Failed',
    align: 'end',
    phone: 'extra',
    cell: ({ failed }) => (
      <span className="num">
        {whole(failed)}
        <span className="only-phone"> failed</span>
      </span>
    ),
  },
];

export function CallsTab({ place }: { place: MonitorPlace }) {
  const range = useFigureRange(monitorRanges);
  const { hrefOf } = useUrlState(defaults);
  const onClickCapture = useInPageLinks();
  const list = useQuery(monitorCallList, { params: place, query: { range } }, { keepPreviousData: true });
  return (
    <div onClickCapture={onClickCapture}>
      <ListPanel
        label="Calls"
        plural="calls"
        list={list}
        head={{
          title: 'Slow calls',
          note: 'fetch and XMLHttpRequest, the slowest first',
          children: (
            <SegmentedLinks
              label="Range"
              items={monitorRanges.map((one, index) => ({
                label: rangeLabels[one],
                href: hrefOf({ range: index === 0 ? '' : one }),
                isCurrent: one === range,
              }))}
            />
          ),
        }}
        columns={columns}
        rows={list.data ?? []}
        rowKey={({ name }) => name}
        empty={
          <EmptyState kind="first-use" isCompact title="No calls in this range">
            The SDK measures fetch and XMLHttpRequest calls of your pages.
          </EmptyState>
        }
      />
    </div>
  );
}
