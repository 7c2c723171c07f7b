/** What the edge gets of a service: the part of the settings that a pipeline applies at once, without new instances. */
import { sql } from 'kysely';
import type { EdgeSettings } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { ServiceRef } from './services.sql.ts';

/** Key order as the settings' schema has it, so that two of them compare as text. */
export const edgeOf = ({ externalTraffic, externalTrafficAuthentication, exposedPort }: EdgeSettings): EdgeSettings => ({
  externalTraffic,
  externalTrafficAuthentication,
  exposedPort,
});

export const hasTraffic = ({ externalTraffic, exposedPort }: EdgeSettings): boolean =>
  exposedPort !== null && externalTraffic.type !== 'NONE';

/**
 * Writes it, and makes the reconciler report once more what it routes: a pass that had read the former settings reports nothing, so
 * `waitUntilRouted` ends when the new ones are carried out.
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
