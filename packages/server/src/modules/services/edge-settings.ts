/** Edge settings of a service: the settings that a pipeline applies immediately, without new instances. */
import { sql } from 'kysely';
import type { EdgeSettings } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { ServiceRef } from './services.sql.ts';

/** Uses the key order of the settings' schema, so that edge settings can be compared as text. */
export const edgeOf = ({ externalTraffic, externalTrafficAuthentication, exposedPort }: EdgeSettings): EdgeSettings => ({
  externalTraffic,
  externalTrafficAuthentication,
  exposedPort,
});

export const hasTraffic = ({ externalTraffic, exposedPort }: EdgeSettings): boolean =>
  exposedPort !== null && externalTraffic.type !== 'NONE';

/**
 * Writes the edge settings and clears `routed`, so that the reconciler reports its routes again. A pass that had read the former settings
 * reports nothing, so `waitUntilRouted` resolves only after the new settings are applied.
 */
export const applyEdge = async (db: Db, service: ServiceRef, edge: EdgeSettings | null): Promise<readonly string[]> =>
  db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('service')
      .set({ edge: edge && JSON.stringify(edge), routed: sql<string[]>`'{}'` })
      .where('id', '=', service.id)
      .returning('serving')
      .executeTakeFirst();
    await notifyChange(trx, { kind: 'service', app: service.app, env: service.environment, service: service.service });
    return row?.serving ?? [];
  });
