/** Routes for metrics of services and revisions, and for samples of their metrics endpoints. */
import { revisionMetrics, serviceMetrics, serviceScrape, type MetricRange, type MetricSeries } from '@slipway/contract/service/metrics.ts';
import { memberRule, type Actor } from '@slipway/contract/kernel/rights.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { boundsOf, lastScrape, revisionSeries, scrapeText, serviceSeries, spans } from '#modules/runtime/index.ts';
import { limitsOfRevision, limitsOfService, markersOf, scrapeOf } from './metrics.sql.ts';
import { requireRevision, requireService } from '../service-context.ts';
import { shownSpec, teamOf } from '../services.sql.ts';

/** Comments in the metrics format that explain an empty response. */
const switchedOff = '# The metrics endpoint of this service is off. Switch it on in its settings, under Observability.\n';
const notYet = '# No instance of this service has been asked yet. It is asked every 15 seconds while it runs.\n';

type Row = Awaited<ReturnType<typeof requireService>>;

/** Returns the parts that charts of services and revisions share. */
const around = async (
  db: Db,
  { caller, now, range, service }: { caller: Actor; now: Date; range: MetricRange; service: Row },
): Promise<Omit<MetricSeries, 'points' | 'limits'>> => {
  const { from, to } = boundsOf(range, now);
  const isMember = memberRule(caller, (await teamOf(db, service.app_id)) ?? '') === true;
  return {
    range,
    from: from.toISOString(),
    to: to.toISOString(),
    stepSeconds: spans[range].stepSeconds,
    markers: await markersOf(db, service.id, from, now),
    scrape: await scrapeOf(db, service, isMember),
  };
};

export const metricsRoutes = (db: Db): Handler[] => [
  handle(serviceMetrics, async (c) => {
    const service = await requireService(db, { app: c.params.app, environment: c.environment, service: c.params.service });
    const now = new Date();
    const { range } = c.query;
    return {
      ...(await around(db, { caller: c.caller, now, range, service })),
      points: await serviceSeries(db, service.id, range, now),
      limits: await limitsOfService(db, service),
    };
  }),
  handle(revisionMetrics, async (c) => {
    const key = { app: c.params.app, environment: c.environment, service: c.params.service };
    const { row, service } = await requireRevision(db, key, c.params.revision);
    const now = new Date();
    const { range } = c.query;
    return {
      ...(await around(db, { caller: c.caller, now, range, service })),
      points: await revisionSeries(db, { id: row.id, serviceId: service.id }, range, now),
      limits: limitsOfRevision(row),
    };
  }),
  handle(serviceScrape, async (c) => {
    const key = { app: c.params.app, environment: c.environment, service: c.params.service };
    const service = await requireService(db, key);
    const last = await lastScrape(db, service.id);
    const isOn = shownSpec(service.spec).observability.metrics.enabled;
    return c.reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .send(last ? scrapeText({ ...key }, last) : isOn ? notYet : switchedOff);
  }),
];
