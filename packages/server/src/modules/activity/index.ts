/** The public interface of the activity log. */
export { activityArea } from './activity.routes.ts';
export { forwardFailure } from './forward/waiting.sql.ts';
export { subjectColumns, subjectOfRow } from './subject-columns.ts';
export { recordActivity, recordPlatformActivity, recordRunOutcome, recordWrite, type ActivityEntry } from './activity.sql.ts';
