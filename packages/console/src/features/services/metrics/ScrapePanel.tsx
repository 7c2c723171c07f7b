/** The latest values of the service's own metrics endpoint. */
import type { MetricSeries } from '@slipway/contract/service/metrics.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import css from '#kit/chart/FiguresPanel.module.css';

type Scrape = NonNullable<MetricSeries['scrape']>;
type Sample = Scrape['samples'][number];

const labelText = (labels: Sample['labels']): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
const keyOf = ({ name, labels }: Sample): string => `${name}{${labelText(labels)}}`;

const columns: Column<Sample>[] = [
  { key: 'name', header: 'Metric', phone: 'title', cell: ({ name, help }) => <code title={help ?? undefined}>{name}</code> },
  { key: 'labels', header: 'Labels', phone: 'meta', cell: ({ labels }) => <span className="quiet">{labelText(labels)}</span> },
  { key: 'type', header: 'Type', cell: ({ type }) => type },
  {
    key: 'value',
    header: 'Value',
    align: 'end',
    phone: 'end',
    cell: ({ value }) => <span className="num">{value.toLocaleString('en', { maximumFractionDigits: 3 })}</span>,
  },
];

export function ScrapePanel({ scrape }: { scrape: Scrape }) {
  return (
    <Panel aria-labelledby="scrape">
      <PanelHead title="Metrics endpoint" titleId="scrape">
        <Status tone={scrape.isUp ? 'ok' : 'bad'}>{scrape.isUp ? 'Answers' : 'Does not answer'}</Status>
        {scrape.at && (
          <span className="meta num">
            <RelativeTime at={scrape.at} />
          </span>
        )}
      </PanelHead>
      {scrape.samples.length === 0 ? (
        <EmptyState kind={scrape.isUp ? 'first-use' : 'error'} isCompact title={scrape.error ?? 'It named no metric yet'}>
          The endpoint is read every 15 seconds. Its path and port are in the settings, under Observability.
        </EmptyState>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A scrolling box must be reachable without a mouse.
        <div className={css.table} role="region" aria-label="Metrics of the endpoint" tabIndex={0}>
          <Table label="Metrics of the endpoint" density="compact" columns={columns} rows={scrape.samples} rowKey={keyOf} />
        </div>
      )}
    </Panel>
  );
}
