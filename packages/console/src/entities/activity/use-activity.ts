/** Reads the activity log of an app, a service or a team, and the entry in the URL. */
import {
  activityExport,
  activityList,
  appActivityExport,
  appActivityList,
  teamActivityList,
  type Activity,
} from '@slipway/contract/activity.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { activityQuery, type ActivityState, type ActivityQuery } from './activity-filter.ts';
import { spanAround } from './entry-time.ts';
import { send2xx } from '#kit/api/call.ts';
import { saveFile } from '#kit/save-file.ts';

/** `subject`: key of a single resource. */
export interface AppScope {
  app: string;
  env: string;
  service?: string;
  subject?: string;
}
/** The log of an app, a team, or the whole platform. */
export type ActivityScope = AppScope | { team: string } | { isPlatform: true };

const pageSize = 25;
const most = 100;

type Query = NonNullable<Parameters<typeof useQuery<typeof teamActivityList>>[1]>;
const useLog = (scope: ActivityScope, query: (Query & object)['query'] | undefined): QueryResult<typeof teamActivityList> => {
  const kept = { keepPreviousData: true };
  const team = useQuery(teamActivityList, query && 'team' in scope && { params: { team: scope.team }, query }, kept);
  const app = useQuery(appActivityList, query && 'app' in scope && { params: { app: scope.app, env: scope.env }, query }, kept);
  const all = useQuery(activityList, query && 'isPlatform' in scope && { query }, kept);
  if ('isPlatform' in scope) return all;
  return 'team' in scope ? team : app;
};

/** Returns the fixed filters of the log, which users cannot choose. */
export const aboutOf = (scope: ActivityScope): { service?: string | undefined; subject?: string | undefined } | undefined =>
  'app' in scope && (scope.service !== undefined || scope.subject !== undefined)
    ? { service: scope.service, subject: scope.subject }
    : undefined;

/** Only the log of the whole platform is filtered by team, app and trace. */
export const queryOf = (scope: ActivityScope, state: ActivityState): ActivityQuery => {
  const { team, app, traceId, ...query } = activityQuery(state, aboutOf(scope));
  return 'isPlatform' in scope ? { ...query, team, app, traceId } : query;
};

export const useActivity = (scope: ActivityScope, state: ActivityState): QueryResult<typeof teamActivityList> =>
  useLog(scope, { page: state.page, size: pageSize, ...queryOf(scope, state) });

/** Returns the entry in the URL: from the rows, otherwise searched by the time in its id. Null if it does not exist. */
export const useNamedEntry = (scope: ActivityScope, id: string, rows: readonly Activity[] | undefined): Activity | null | undefined => {
  const shown = rows?.find((entry) => entry.id === id);
  const span = id === '' || rows === undefined || shown ? undefined : spanAround(id);
  const around = useLog(scope, span && { ...span, size: most });
  if (id === '' || shown) return shown;
  if (rows === undefined || (span && !around.data)) return undefined;
  return (span && around.data?.content.find((entry) => entry.id === id)) ?? null;
};

/** Downloads the filtered entries as CSV or as JSON lines. */
export const exportActivity = async (
  scope: Exclude<ActivityScope, { team: string }>,
  query: ActivityQuery,
  format: 'csv' | 'json',
): Promise<void> => {
  const ending = format === 'csv' ? 'csv' : 'jsonl';
  if ('isPlatform' in scope) {
    const response = await send2xx(activityExport, { query: { ...query, format } });
    return saveFile(await response.blob(), `activity.${ending}`);
  }
  const { app, env } = scope;
  const response = await send2xx(appActivityExport, { params: { app, env }, query: { ...query, format } });
  saveFile(await response.blob(), `${query.service ?? app}-${env}-activity.${ending}`);
};
