/** Additional data of a chart: limits of an instance, and deployments as markers. */
import { sql } from 'kysely';
import type { MetricSeries } from '@slipway/contract/service/metrics.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { lastScrape, scrapeState, summed } from '#modules/runtime/index.ts';
import { shownSpec } from '../services.sql.ts';

type Limits = MetricSeries['limits'];

const none: Limits = { cpuMillicores: null, memoryMegabytes: null };
const limitsIn = ({ resources }: ServiceSpec): Limits => ({
  cpuMillicores: resources.cpuMillicores,
  memoryMegabytes: resources.memoryMegabytes,
});

export const limitsOfRevision = (row: { status: string; spec: ServiceSpec }): Limits =>
  row.status === 'DELETED' ? none : limitsIn(shownSpec(row.spec));

/** Returns the limits of the serving revision, or of the settings if none serves. */
export const limitsOfService = async (db: Db, service: { id: string; serving: string[]; spec: ServiceSpec }): Promise<Limits> => {
  const row = await db
    .selectFrom('revision')
    .select('spec')
    .where('service_id', '=', service.id)
    .where('name', '=', sql<string>`any (${service.serving})`)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return limitsIn(shownSpec(row?.spec ?? service.spec));
};

/** Returns every revision made in the range, with its reason. */
export const markersOf = async (db: Db, serviceId: string, from: Date, to: Date): Promise<MetricSeries['markers']> => {
  const rows = await db
    .selectFrom('revision')
    .select(['name', 'created_at', 'reason'])
    .where('service_id', '=', serviceId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .orderBy('created_at')
    .execute();
  return rows.map(({ created_at: at, name, reason }) => ({
    at: at.toISOString(),
    revision: name,
    type: reason.type,
    text: reason.text ?? reason.commitMessage,
  }));
};

/** Maximum number of samples in the response. The text format for Prometheus has all of them. */
const maxSamples = 2000;

/** Returns the last scrape. Only team members see its samples; other callers see whether the endpoint answers. */
export const scrapeOf = async (db: Db, service: { id: string; spec: ServiceSpec }, isMember: boolean): Promise<MetricSeries['scrape']> => {
  if (!shownSpec(service.spec).observability.metrics.enabled) return null;
  const never = { at: null, isUp: false, error: null, samples: [] };
  if (!isMember) {
    const state = await scrapeState(db, service.id);
    return state ? { ...never, at: state.at.toISOString(), isUp: state.isUp } : never;
  }
  const last = await lastScrape(db, service.id);
  if (!last) return never;
  const { at, isUp, error, families } = last;
  return { at: at.toISOString(), isUp, error, samples: summed(families).slice(0, maxSamples) };
};
