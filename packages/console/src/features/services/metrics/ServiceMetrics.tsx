/** The metrics of a service over time, for all revisions together. */
import { serviceMetrics } from '@slipway/contract/service/metrics.ts';
import { useQuery } from '#kit/api/query.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { MetricsPanel, useMetricRange } from './MetricsPanel.tsx';
import { ScrapePanel } from './ScrapePanel.tsx';

/** A new point comes every 15 seconds. */
const pollMs = 15_000;

export function ServiceMetrics({ place }: { place: ServiceRef }) {
  const range = useMetricRange();
  const params = { app: place.app, env: place.env, service: place.service };
  const query = useQuery(serviceMetrics, { params, query: { range } }, { pollMs, isAlwaysPolled: true, keepPreviousData: true });
  return (
    <>
      <MetricsPanel place={place} series={query.data} query={query} />
      {query.data?.scrape && <ScrapePanel scrape={query.data.scrape} />}
    </>
  );
}
