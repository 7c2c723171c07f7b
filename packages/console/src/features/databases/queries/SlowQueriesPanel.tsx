/** The slowest statements of a database, without values. The URL holds the open statement. */
import { databaseSlowQueries, type SlowQueries, type SlowQuery } from '@slipway/contract/database/figures.ts';
import { databaseStatementSeconds } from '@slipway/contract/database/database-plan.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { duration } from '@slipway/ui/format/duration.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { CodeBlock } from '@slipway/ui/text/CodeBlock.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { ChevronRight } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { percentLabel } from '#features/databases/database-labels.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import css from './SlowQueries.module.css';

const defaults = { statement: '' };
const shortShown = 4;
/** They change every minute. */
const pollMs = 30_000;
/** A statement that takes more than this share of the total time is highlighted, however fast each call is. */
const hotShare = 0.4;

const number = (value: number | null): string => (value === null ? '–' : Math.round(value).toLocaleString('en'));
/** Formats times below one second in milliseconds, with one decimal for small values. */
const time = (ms: number | null): string => {
  if (ms === null) return '–';
  if (ms >= 1000) return duration(ms);
  if (ms > 0 && ms < 0.1) return '< 0.1 ms';
  return `${ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`;
};

const columnsFor = (open: string, toggle: (id: string) => void): Column<SlowQuery>[] => [
  {
    key: 'statement',
    header: 'Statement',
    cell: ({ id, text }) => (
      <button type="button" className={css.statement} aria-expanded={id === open} onClick={() => toggle(id)}>
        <ChevronRight aria-hidden="true" className={css.chevron} />
        <code className={css.text}>{text}</code>
      </button>
    ),
  },
  { key: 'calls', header: 'Calls', align: 'end', width: 90, cell: ({ calls }) => <span className="num">{number(calls)}</span> },
  {
    key: 'mean',
    header: 'Mean',
    align: 'end',
    width: 90,
    cell: ({ meanMs, share }) => <span className={share >= hotShare ? 'num strong' : 'num'}>{time(meanMs)}</span>,
  },
  {
    key: 'max',
    header: 'Longest',
    align: 'end',
    width: 90,
    isRoomy: true,
    cell: ({ maxMs }) => <span className="num">{time(maxMs)}</span>,
  },
  {
    key: 'share',
    header: 'Share of time',
    width: 190,
    cell: ({ share }) => (
      <span className={css.share}>
        <Gauge label={`${percentLabel(share)} of the time of all statements`} value={share} of={1} hotFrom={hotShare}>
          {percentLabel(share)}
        </Gauge>
      </span>
    ),
  },
];

function Statement({ query }: { query: SlowQuery }) {
  const facts = [
    ['Rows', number(query.rows)],
    ['95 % within', time(query.p95Ms)],
    ['Longest', time(query.maxMs)],
    ['Together', duration(query.totalMs)],
  ] as const;
  return (
    <div className="stack stack-12">
      <CodeBlock code={query.text} what="statement" />
      <dl className={css.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt className="meta">{label}</dt>
            <dd className="num dense">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export interface SlowQueriesPanelProps {
  place: DatabasePlace;
  /** Shows only the slowest statements, with a link to all. */
  isShort?: boolean;
}

export function SlowQueriesPanel({ place, isShort = false }: SlowQueriesPanelProps) {
  const { state, set } = useUrlState(defaults);
  const list = useQuery(databaseSlowQueries, { params: { ...place } }, { pollMs, isAlwaysPolled: true });
  const statements = list.data?.statements ?? [];
  const toggle = (id: string): void => set({ statement: id === state.statement ? '' : id }, { replace: true });
  return (
    <ListPanel
      label="Statements, those that took most of the time first"
      plural="slow queries"
      list={list}
      head={{
        title: 'Slow queries',
        note: 'Parameters hidden',
        ...(isShort && statements.length > shortShown
          ? {
              children: (
                <Link href={paths.database(place, 'slow-queries')}>
                  All {statements.length}
                  <span className="sr"> statements</span>
                </Link>
              ),
            }
          : {}),
      }}
      phone="flow"
      columns={columnsFor(state.statement, toggle)}
      rows={isShort ? statements.slice(0, shortShown) : statements}
      rowKey={({ id }) => id}
      isSelected={({ id }) => id === state.statement}
      detail={(query) => query.id === state.statement && <Statement query={query} />}
      empty={list.data && <Nothing source={list.data.source} />}
    >
      {list.data && <Foot queries={list.data} />}
    </ListPanel>
  );
}

function Nothing({ source }: Pick<SlowQueries, 'source'>) {
  return source === 'NONE' ? (
    <EmptyState kind="first-use" title="This server does not count statements" isCompact>
      It has neither pg_stat_statements nor sessions that can be looked at.
    </EmptyState>
  ) : (
    <EmptyState kind="first-use" title="No slow queries yet" isCompact>
      Queries appear here once services use the database.
    </EmptyState>
  );
}

/** Explains what is missing, depending on the source of the statistics. */
function Foot({ queries: { source, since } }: { queries: SlowQueries }) {
  if (source === 'NONE') return null;
  return (
    <PanelFoot>
      <span>
        {source === 'STATEMENTS'
          ? 'Every statement is counted'
          : 'Seen once a minute: statements that ran longer than 200 ms at that moment'}
        {since !== null && (
          <>
            , since <RelativeTime at={since} />
          </>
        )}
        .
      </span>
      <span className="push only-wide">Statements stop after {databaseStatementSeconds} s by default</span>
    </PanelFoot>
  );
}
