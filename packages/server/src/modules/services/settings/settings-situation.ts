/** What runs of a service and what the edge was told: what a change of settings is measured against. */
import type { Db } from '#db/database.ts';
import { plainSpec } from '#modules/secret-groups/index.ts';
import type { Situation } from './settings-work.ts';
import { appliedEdge, hasEdgeCredential, type SettingsRow } from './settings.sql.ts';
import { replacedBy, servingRevision, startableRevision } from '../situation.sql.ts';
import type { ServiceKey } from '../services.sql.ts';

export const situationOf = async (db: Db, key: ServiceKey, row: SettingsRow): Promise<Situation> => {
  const startable = await startableRevision(db, row.id);
  return {
    edge: appliedEdge(row),
    hasCredential: await hasEdgeCredential(db, row.id),
    isResting: row.scaled_down_at !== null,
    serving: await servingRevision(db, row),
    startable: startable && { ...startable, spec: await plainSpec(db, key, row.id, startable.spec) },
    replaced: await replacedBy(db, key),
  };
};
