/** Activity logs of apps and teams. */
import { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import { appActivityExport, appActivityList, teamActivityList } from '@slipway/contract/activity.ts';
import type { Database } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { activities, exportText } from './activity-export.ts';
import { activityPage } from './activity.sql.ts';

const fileTypes = { csv: 'text/csv; charset=utf-8', json: 'application/x-ndjson; charset=utf-8' } as const;

const activityRoutes = (db: Kysely<DB>): Handler[] => [
  handle(appActivityList, (c) => activityPage(db, { ...c.query, app: c.params.app, env: c.environment })),
  handle(appActivityExport, async (c) => {
    const { format, ...filter } = c.query;
    const pages = activities(db, { ...filter, app: c.params.app, env: c.environment });
    const name = `activity-${c.params.app}-${c.environment}.${format === 'csv' ? 'csv' : 'jsonl'}`;
    return c.reply
      .type(fileTypes[format])
      .header('content-disposition', `attachment; filename="${name}"`)
      .header('x-content-type-options', 'nosniff')
      .send(Readable.from(exportText(pages, format)));
  }),
  handle(teamActivityList, (c) => activityPage(db, { ...c.query, team: c.params.team })),
];

export const activityArea = ({ database: { db } }: { readonly database: Database }) => ({ routes: activityRoutes(db) });
