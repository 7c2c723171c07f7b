/** Queries for the rules of a service's settings: current settings, keys of its secrets, and addresses in use. */
import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { EdgeSettings, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { mustFit, parseEach } from '#kernel/rows/unreadable.ts';
import { serviceGroups } from '#modules/secret-groups/index.ts';
import { hasTraffic } from '../edge-settings.ts';
import { isReservedDomain } from './reserved-domain.ts';
import { shownSpec, type ServiceKey, type ServiceLinks } from '../services.sql.ts';

export interface SettingsRow {
  readonly id: string;
  readonly repository_name: string | null;
  readonly active: boolean;
  readonly spec: ServiceSpec;
  readonly edge: EdgeSettings | null;
  readonly serving: readonly string[];
  readonly scaled_down_at: Date | null;
}
export const settingsOf = (row: Pick<SettingsRow, 'repository_name' | 'active' | 'spec'>): ServiceSettings => ({
  githubRepositoryName: row.repository_name,
  active: row.active,
  spec: shownSpec(row.spec),
});

/** Returns the applied edge settings, or the service's settings if none were applied yet. */
export const appliedEdge = (row: Pick<SettingsRow, 'edge' | 'spec'>): EdgeSettings => row.edge ?? row.spec;
export const appliedBasePath = (row: Pick<SettingsRow, 'edge'>): string | null => {
  const applied = row.edge?.externalTraffic;
  return applied?.type === 'API_PROXY' ? applied.basePath : null;
};

/** Returns secret group → keys of its newest version. */
export const secretKeysOf = async (db: Db, key: ServiceKey): Promise<Map<string, string[]>> => {
  const groups = await serviceGroups(db, key, key.service);
  return new Map(groups.map(({ group, keys }) => [group, keys]));
};

const addressOf = ({ domain, basePath }: { domain: string | null; basePath: string }): string =>
  `${domain ?? ''}${basePath.replace(/\/+$/, '')}/`;

interface Claim {
  readonly app_id: string;
  readonly environment: Environment;
  readonly name: string;
  readonly spec: EdgeSettings;
  readonly edge: EdgeSettings | null;
}
const ClaimShape = z.object({
  exposedPort: z.nullable(z.number()),
  externalTraffic: z.object({ type: z.string(), domain: z.nullable(z.string()), basePath: z.string() }),
});
/** Returns the readable edge settings among the stored ones. The runtime's leader reports services with other ones to operators. */
const readableClaims = ({ app_id: app, environment, name, spec, edge }: Claim): readonly EdgeSettings[] =>
  parseEach(
    edge ? [spec, edge] : [spec],
    () => ({ id: name, kind: 'service', name: `${app}/${environment}/${name}` }),
    (claim) => {
      mustFit(ClaimShape, claim, 'settings of the edge');
      return claim;
    },
  ).values;

/** Returns the address if another service claims it by settings, applied edge settings, or default host. Otherwise undefined. */
export const addressInUse = async (
  db: Db,
  links: Pick<ServiceLinks, 'url'>,
  key: ServiceKey,
  settings: EdgeSettings,
): Promise<string | undefined> => {
  const { domain } = settings.externalTraffic;
  if (domain === null || !hasTraffic(settings)) return undefined;
  // Leaves out the variables of all services to keep the result small.
  const { rows } = await sql<Claim>`select app_id, environment, name, edge,
      jsonb_build_object('externalTraffic', spec -> 'externalTraffic', 'exposedPort', spec -> 'exposedPort') as spec from service
    where (app_id, environment, name) <> (${key.app}, ${key.environment}, ${key.service})`.execute(db);
  const wanted = addressOf(settings.externalTraffic);
  for (const row of rows) {
    const claims = readableClaims(row).filter(hasTraffic);
    if (claims.some(({ externalTraffic }) => externalTraffic.domain !== null && addressOf(externalTraffic) === wanted)) return wanted;
    const other = { app: row.app_id, environment: row.environment, service: row.name };
    if (new URL(links.url(other, '/')).hostname === domain) return wanted;
  }
  return undefined;
};

export const addressErrors = async (db: Db, links: ServiceLinks, key: ServiceKey, spec: ServiceSpec): Promise<FieldError[]> => {
  const { domain } = spec.externalTraffic;
  const at = (code: string, address: string): FieldError[] => [
    { field: 'spec.externalTraffic.domain', code, context: { label: 'Domain', address } },
  ];
  const address = await addressInUse(db, links, key, spec);
  if (address !== undefined) return at('DomainInUse', address);
  return domain !== null && isReservedDomain(domain, links) ? at('DomainReserved', domain) : [];
};

export const hasEdgeCredential = async (db: Db, serviceId: string): Promise<boolean> =>
  (await db.selectFrom('edge_credential').select('service_id').where('service_id', '=', serviceId).executeTakeFirst()) !== undefined;
