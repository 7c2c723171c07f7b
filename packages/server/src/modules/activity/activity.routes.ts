/** Activity logs of apps, teams and the whole platform. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Kysely } from 'kysely';
import { activityExport, activityList, appActivityExport, appActivityList, teamActivityList } from '@slipway/contract/activity.ts';
import type { Database } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { activities, exportText } from './activity-export.ts';
import { activityPage } from './activity.sql.ts';

const fileTypes = { csv: 'text/csv; charset=utf-8', json: 'application/x-ndjson; charset=utf-8' } as const;

/** Streams the file, so that memory use does not depend on its length. */
const sendFile = (reply: FastifyReply, name: string, format: keyof typeof fileTypes, pages: ReturnType<typeof activities>) =>
  reply
    .type(fileTypes[format])
    .header('content-disposition', `attachment; filename="${name}.${format === 'csv' ? 'csv' : 'jsonl'}"`)
    .header('x-content-type-options', 'nosniff')
    .send(Readable.from(exportText(pages, format)));

const activityRoutes = (db: Kysely<DB>): Handler[] => [
  handle(appActivityList, (c) => activityPage(db, { ...c.query, app: c.params.app, env: c.environment })),
  handle(appActivityExport, async ({ query: { format, ...filter }, params: { app }, environment: env, reply }) =>
    sendFile(reply, `activity-${app}-${env}`, format, activities(db, { ...filter, app, env })),
  ),
  handle(activityList, (c) => activityPage(db, { ...c.query, withFormerApps: true })),
  handle(activityExport, async ({ query: { format, ...filter }, reply }) =>
    sendFile(reply, 'activity', format, activities(db, { ...filter, withFormerApps: true })),
  ),
  handle(teamActivityList, (c) => activityPage(db, { ...c.query, team: c.params.team })),
];

export const activityArea = ({ database: { db } }: { readonly database: Database }) => ({ routes: activityRoutes(db) });
