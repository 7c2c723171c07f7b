/** Rows about services' metrics endpoints: the endpoints to scrape, and their last results. */
import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { Db } from '#db/database.ts';
import { mustFit, parseEach, type Parsed } from '#kernel/rows/unreadable.ts';
import type { Environment } from '#ports/runtime.ts';
import { serviceRow } from './revision-key.ts';
import { formatExposition, type InstanceFamilies } from './exposition.ts';

export interface ScrapeTarget {
  readonly serviceId: string;
  readonly app: string;
  readonly environment: Environment;
  readonly service: string;
  readonly path: string;
  /** null means the exposed port. */
  readonly port: number | null;
  readonly exposedPort: number | null;
  /** Ready instances. */
  readonly instances: readonly { readonly id: string; readonly revision: string; readonly revisionId: string }[];
}
export interface ScrapeResult {
  readonly at: Date;
  readonly isUp: boolean;
  readonly error: string | null;
  readonly families: readonly InstanceFamilies[];
}

const TargetShape = z.object({ path: z.string(), port: z.nullable(z.number()), exposedPort: z.nullable(z.number()) });

export const scrapeTargets = async (db: Db): Promise<Parsed<ScrapeTarget, ScrapeTarget>> => {
  const { rows } = await sql<ScrapeTarget>`
    select service.id as "serviceId", service.app_id as app, service.environment, service.name as service,
      service.spec #> '{observability,metrics,path}' as path, service.spec #> '{observability,metrics,port}' as port,
      service.spec -> 'exposedPort' as "exposedPort",
      coalesce((select jsonb_agg(jsonb_build_object('id', instance.id, 'revision', revision.name, 'revisionId', revision.id) order by instance.id)
        from revision join instance on instance.revision_id = revision.id
        where revision.service_id = service.id and instance.state = 'READY'), '[]') as instances
    from service where service.active and service.spec #>> '{observability,metrics,enabled}' = 'true'`.execute(db);
  return parseEach(rows, serviceRow, (row) => {
    mustFit(TargetShape, row, 'observability');
    return row;
  });
};

export const writeScrape = async (db: Db, serviceId: string, { at, error, families, isUp }: ScrapeResult): Promise<void> => {
  // Writes nothing if the service was deleted meanwhile.
  await sql`insert into service_scrape (service_id, at, is_up, error, families)
    select id, ${at}, ${isUp}, ${error}, ${JSON.stringify(families)}::jsonb from service where id = ${serviceId}
    on conflict (service_id) do update set at = excluded.at, is_up = excluded.is_up, error = excluded.error, families = excluded.families`.execute(
    db,
  );
};

/** Deletes the results of services whose endpoint is switched off. */
export const dropScrapes = async (db: Db): Promise<void> => {
  await sql`delete from service_scrape using service where service.id = service_scrape.service_id
    and service.spec #>> '{observability,metrics,enabled}' is distinct from 'true'`.execute(db);
};

export const lastScrape = async (db: Db, serviceId: string): Promise<ScrapeResult | undefined> => {
  const row = await db.selectFrom('service_scrape').selectAll().where('service_id', '=', serviceId).executeTakeFirst();
  return row && { at: row.at, isUp: row.is_up, error: row.error, families: row.families as readonly InstanceFamilies[] };
};

/** Returns the last result without its samples, which can be megabytes. */
export const scrapeState = (db: Db, serviceId: string): Promise<{ at: Date; isUp: boolean } | undefined> =>
  db.selectFrom('service_scrape').select(['at', 'is_up as isUp']).where('service_id', '=', serviceId).executeTakeFirst();

const UP = 'slipway_scrape_up';

/** Returns text for Prometheus, with a gauge of whether every instance answered. */
export const scrapeText = (labels: Readonly<Record<string, string>>, last: ScrapeResult): string => {
  const own = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  const up = [
    `# HELP ${UP} Whether every ready instance answered when it was last asked.`,
    `# TYPE ${UP} gauge`,
    `${UP}{${own.join(',')}} ${last.isUp ? 1 : 0}`,
  ];
  return `${up.join('\n')}\n${formatExposition(last.families, labels)}`;
};
