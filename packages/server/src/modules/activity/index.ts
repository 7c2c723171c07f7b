/** The activity log's door. */
export { activityRoutes } from './activity.routes.ts';
export { recordActivity, recordRunOutcome, type ActivityEntry } from './activity.sql.ts';
