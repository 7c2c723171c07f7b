/** Activity logs of apps and teams. */
import type { Kysely } from 'kysely';
import { appActivityList, teamActivityList } from '@slipway/contract/activity.ts';
import type { DB } from '#db/types.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { activityPage } from './activity.sql.ts';

export const activityRoutes = (db: Kysely<DB>): Handler[] => [
  handle(appActivityList, (c) => activityPage(db, { ...c.query, app: c.app.id, env: c.environment })),
  handle(teamActivityList, (c) => activityPage(db, { ...c.query, team: c.params.team })),
];
