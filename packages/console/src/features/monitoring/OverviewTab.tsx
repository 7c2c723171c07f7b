/** Web vitals now and over time, by page and by release. */
import {
  monitorRanges,
  monitorVitalsView,
  type MonitorVitals,
  type VitalPoint,
  type VitalsPerName,
} from '@slipway/contract/monitoring/readings.ts';
import { vitalFacts, vitals, type Vital } from '@slipway/contract/monitoring/vitals.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { useMemo } from 'react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { secondsOf } from '#kit/chart/chart-frame.ts';
import { FiguresPanel, useFigureRange, type ShownFigures } from '#kit/chart/FiguresPanel.tsx';
import { measuredBy, type Measure } from '#kit/chart/figures.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import type { MonitorPlace } from './monitor-place.ts';
import { rangeLabels, vitalLook, vitalText, whole } from './monitoring-labels.ts';
import { VitalCards } from './VitalCards.tsx';

const POLL_MS = 15_000;

const measures: readonly Measure<Vital, VitalPoint, null>[] = vitals.map((vital) => {
  const factor = vital === 'CLS' ? 1 : 0.001;
  return {
    key: vital,
    title: `${vital}, ${vitalFacts[vital].label.toLowerCase()}`,
    unit: vital === 'CLS' ? 'score' : 's',
    read: ({ p75 }) => (p75[vital] === undefined ? null : p75[vital] * factor),
    limit: () => vitalFacts[vital].good * factor,
    atLeast: vitalFacts[vital].good * factor * 1.2,
  };
});

const shownOf = ({ points, stepSeconds }: MonitorVitals): ShownFigures<Vital> => {
  const from = secondsOf(points[0]?.at ?? new Date().toISOString());
  return {
    measured: measuredBy(measures, { points, stepSeconds, limits: null }),
    whole: { from, to: from + points.length * stepSeconds },
    markers: [],
  };
};

const vitalColumn = (vital: Vital): Column<VitalsPerName> => ({
  key: vital,
  header: vital,
  phone: 'extra',
  cell: ({ p75 }) => {
    const value = p75[vital];
    if (value === undefined) return <span className="meta">–</span>;
    const { tone, word } = vitalLook(vital, value);
    if (tone === 'ok') return <span className="num">{vitalText(vital, value)}</span>;
    return (
      <Status tone={tone}>
        {vitalText(vital, value)}
        <span className="sr">, {word.toLowerCase()}</span>
      </Status>
    );
  },
});
const columnsOf = (header: string): Column<VitalsPerName>[] => [
  { key: 'name', header, phone: 'title', cell: ({ name }) => <span className="strong">{name}</span> },
  { key: 'views', header: 'Views', align: 'end', phone: 'meta', cell: ({ views }) => <span className="num">{whole(views)}</span> },
  ...vitals.slice(0, 3).map(vitalColumn),
  { key: 'errors', header: 'Errors', align: 'end', phone: 'end', cell: ({ errors }) => <span className="num">{whole(errors)}</span> },
];

function NoPayload({ place }: { place: MonitorPlace }) {
  return (
    <EmptyState
      level={2}
      kind="first-use"
      title="Nothing measured in this range"
      actions={<LinkButton href={paths.monitor(place, 'setup')}>Set up</LinkButton>}
    >
      Add the snippet to your pages. The first values show here a few seconds after a page sends them.
    </EmptyState>
  );
}

/** Pages whose SDK does not measure the first input need no place for it. */
const isMeasured = (read: MonitorVitals | undefined, name: Vital): boolean =>
  name !== 'FID' || read?.vitals.some(({ vital, p75 }) => vital === name && p75 !== null) === true;

export function OverviewTab({ place }: { place: MonitorPlace }) {
  const range = useFigureRange(monitorRanges);
  const query = useQuery(
    monitorVitalsView,
    { params: place, query: { range } },
    { keepPreviousData: true, pollMs: POLL_MS, isAlwaysPolled: true },
  );
  const { data } = query;
  const shown = useMemo(() => data && shownOf(data), [data]);
  const isEmpty = data?.vitals.every(({ p75 }) => p75 === null) && data.views === 0;
  return (
    <>
      {data && !isEmpty && <VitalCards read={data} vitals={data.vitals.filter(({ vital }) => isMeasured(data, vital))} range={range} />}
      {!data && !query.error && <Skeleton height={132} />}
      <FiguresPanel
        title="75th percentile over time"
        measures={measures.filter(({ key }) => isMeasured(data, key))}
        ranges={monitorRanges.map((one) => ({ range: one, label: rangeLabels[one] }))}
        range={range}
        shown={shown}
        query={query}
        empty={<NoPayload place={place} />}
      />
      {data && !isEmpty && (
        <>
          <ListPanel
            label="Pages"
            plural="pages"
            list={query}
            head={{ title: 'Pages', note: '75th percentile, most viewed first' }}
            columns={columnsOf('Page')}
            rows={data.pages}
            rowKey={({ name }) => name}
            empty={<EmptyState kind="first-use" isCompact title="No page was named" />}
          />
          <ListPanel
            label="Releases"
            plural="releases"
            list={query}
            head={{ title: 'Releases', note: 'app.version of the SDK' }}
            columns={columnsOf('Release')}
            rows={data.releases}
            rowKey={({ name }) => name}
            empty={
              <EmptyState kind="first-use" isCompact title="No release was named">
                Set app.version in the snippet to compare releases.
              </EmptyState>
            }
          />
        </>
      )}
    </>
  );
}
