/** One revision: diagnosis if it fails, instances and events, metrics, settings, and log. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { revisionMetrics } from '@slipway/contract/service/metrics.ts';
import { revisionInstances, revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import { lazy, Suspense } from 'react';
import type { Params } from 'react-router';
import { preloadQuery, useQuery, type QueryResult } from '#kit/api/query.ts';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { PageError } from '#entities/PageError.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { DiagnosisCard } from '#entities/diagnosis/DiagnosisCard.tsx';
import { useDiagnosis } from '#entities/diagnosis/use-diagnosis.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { EventsPanel } from './EventsPanel.tsx';
import { InstancesPanel } from './InstancesPanel.tsx';
import type { LogRef } from '#features/services/logs/log-stream.ts';
import { MetricsPanel, useMetricRange } from '#features/services/metrics/MetricsPanel.tsx';
import { RevisionHeader } from './RevisionHeader.tsx';
import { RevisionLogPanel } from '#features/services/logs/RevisionLogPanel.tsx';
import { RevisionSecrets } from './RevisionSecrets.tsx';
import { SpecPanel } from './SpecPanel.tsx';
import { isStopped } from '#features/services/page/use-service-diagnosis.ts';
import { comparedFirst } from './revision-compare.ts';
import { useRevision } from './use-revision.ts';

const RevisionCompare = lazy(() => import('./RevisionCompare.tsx'));

/** CPU and memory change constantly, without a change event. */
const figuresMs = 2000;
/** A new point comes every 15 seconds. */
const metricsMs = 15_000;
const defaults = { instance: '', line: '', with: '', previous: '' };

export function Component() {
  const { place, query, revision, service, app, noRight } = useRevision();
  const { diagnosis, isKnown } = useDiagnosis(place);
  const instances = useQuery(revisionInstances, place && { params: { ...place } }, { pollMs: figuresMs, isAlwaysPolled: true });
  usePageTitle([place?.revision, place?.app, place?.env]);
  if (!place) return <NotFound />;
  if (query.error && !revision) return <PageError what={`revision ${place.revision}`} query={query} />;
  const team = app?.teamName ?? '';
  // Waits for all content above, to avoid layout shifts below.
  const isReady = isKnown && (instances.data !== undefined || instances.error !== undefined);
  return (
    <>
      <RevisionHeader place={place} href={paths.revision(place)} revision={revision} service={service} team={team} />
      <PageBody padding="flush" className="stack stack-24" isTall>
        {revision && isReady && (
          <>
            {diagnosis && <DiagnosisCard place={place} diagnosis={diagnosis} isOnPage isOver={isStopped(revision)} />}
            <Compared revision={revision} />
            <Running revision={revision} place={place} query={instances} other={comparedFirst(revision, service?.status.serving)} />
            <RevisionLogPanel
              key={place.revision}
              place={place}
              reason={reasonOf(revision.can, 'readLogs', { team })}
              noRight={noRight}
              isQuiet={isStopped(revision)}
            />
          </>
        )}
      </PageBody>
    </>
  );
}

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env: segment = '', service = '', revision = '' }: Params): void => {
  const env = environmentOf(segment);
  if (env === undefined) return;
  const params = { app, env, service, revision };
  preloadQuery(revisionView, { params });
  preloadQuery(revisionInstances, { params });
};

function Compared({ revision }: { revision: Revision }) {
  const { state, set, hrefOf } = useUrlState(defaults);
  if (state.with === '' || state.with === revision.name) return null;
  return (
    <Suspense fallback={null}>
      <RevisionCompare
        revision={revision}
        other={state.with}
        onOther={(name) => set({ with: name }, { replace: true })}
        closeHref={hrefOf({ with: '' })}
      />
    </Suspense>
  );
}

interface RunningProps {
  revision: Revision;
  place: LogRef;
  query: QueryResult<typeof revisionInstances>;
  /** The default revision to compare with. */
  other: string | undefined;
}

function Running({ revision, place, query, other }: RunningProps) {
  const params = { ...place };
  const range = useMetricRange();
  const metrics = useQuery(
    revisionMetrics,
    { params, query: { range } },
    { pollMs: metricsMs, isAlwaysPolled: true, keepPreviousData: true },
  );
  const { hrefOf } = useUrlState(defaults);
  const onLinks = useInPageLinks();
  return (
    <>
      <div onClickCapture={onLinks}>
        <InstancesPanel
          revision={revision}
          instances={query.data?.instances}
          query={query}
          logHrefOf={(instance, isPrevious = false) => `${hrefOf({ instance, line: '', previous: isPrevious ? '1' : '' })}#logs`}
        />
      </div>
      <MetricsPanel place={place} series={metrics.data} query={metrics} note="Requests, errors and p95 are the whole service’s" />
      <div className="split split-side" onClickCapture={onLinks}>
        <EventsPanel events={query.data?.events} query={query} service={place.service} />
        <div className="stack">
          <SpecPanel
            spec={revision.spec}
            link={other === undefined ? undefined : { label: `Compare with ${other}`, href: `${hrefOf({ with: other })}#compare` }}
          />
          <RevisionSecrets place={place} versions={revision.secretVersions} />
        </div>
      </div>
    </>
  );
}
