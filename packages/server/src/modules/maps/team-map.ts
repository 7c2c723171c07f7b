/** The map of a team: its apps, and the apps that exchange messages with them through topics. Only its members read it, as its grants. */
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { ResourceMap } from '@slipway/contract/map.ts';
import type { Db } from '#db/database.ts';
import { appNode } from './app-map.ts';
import { MapBuilder, nodeId } from './map-builder.ts';
import { appRows, grantRows } from './map-rows.sql.ts';

export const teamMap = async (db: Db, team: string, environment: Environment): Promise<ResourceMap> => {
  const map = new MapBuilder();
  const own = await appRows(db, sql`app.team_id = ${team}`, environment);
  map.addAll('app', own, appNode);
  const grants = await grantRows(db, sql`select id from app where team_id = ${team}`, environment);
  map.limitEdges(grants.length);
  const ids = new Set(grants.flatMap(({ account_app, topic_app }) => [account_app, topic_app]));
  const others = ids.size === 0 ? [] : await appRows(db, sql`app.id in (${sql.join([...ids])}) and app.team_id <> ${team}`, environment);
  map.addAll('app', others, appNode);
  for (const { topic, topic_app, account_app, operation, is_requested } of grants) {
    if (topic_app === account_app) continue;
    const [owner, user] = [nodeId('app', topic_app, topic_app), nodeId('app', account_app, account_app)];
    if (operation === 'READ') map.join(owner, user, 'READS', [topic], is_requested);
    else map.join(user, owner, 'WRITES', [topic], is_requested);
  }
  return map.build(true);
};
