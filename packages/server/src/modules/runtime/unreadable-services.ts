/** Finds services whose settings cannot be read, whether or not an instance or a route needs them. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { parseEach, type Unreadable } from '#kernel/rows/unreadable.ts';
import type { Environment } from '#ports/runtime.ts';
import { serviceRow } from './revision-key.ts';
import { mustFitSettings } from './spec-shape.ts';

interface Row {
  readonly serviceId: string;
  readonly app: string;
  readonly environment: Environment;
  readonly service: string;
  readonly spec: unknown;
  readonly edge: unknown;
}

/** PostgreSQL selects the candidates, so that the settings of all other services need not be sent. */
export const unreadableServices = async (db: Db): Promise<Unreadable[]> => {
  const { rows } = await sql<Row>`
    select id as "serviceId", app_id as app, environment, name as service, spec, edge from service
    where jsonb_typeof(spec -> 'containerImageName') is distinct from 'string' or jsonb_typeof(spec -> 'region') is distinct from 'string'
      or jsonb_typeof(spec -> 'exposedPort') is null or jsonb_typeof(spec -> 'resources') is distinct from 'object'
      or jsonb_typeof(spec -> 'rollout') is distinct from 'object'
      or jsonb_typeof(spec #> '{template,healthCheck,config}') is distinct from 'object'
      or jsonb_typeof(spec #> '{template,envVars}') is distinct from 'array'
      or jsonb_typeof(spec #> '{template,secretFileMounts}') is distinct from 'array'
      or jsonb_typeof(spec #> '{observability,metrics}') is distinct from 'object'
      or jsonb_typeof(spec #> '{externalTraffic,config}') is distinct from 'object'
      or edge is not null and jsonb_typeof(edge #> '{externalTraffic,config}') is distinct from 'object'`.execute(db);
  return parseEach(rows, serviceRow, mustFitSettings).bad;
};
