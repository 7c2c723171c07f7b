/** Public interface of notifications. Other areas call `notify` in the transaction of the change that they announce. */
export { notificationArea } from './notification-area.ts';
export { notifyFailedRun } from './failed-run.ts';
export { lastingConditions } from './watches.sql.ts';
export { notify, notifyAll, type NotificationEvent } from './notify.ts';
