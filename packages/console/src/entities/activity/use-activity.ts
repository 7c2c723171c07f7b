/** Reads the activity log of an app, a service or a team, and the entry in the URL. */
import { appActivityList, teamActivityList, type Activity, appActivityExport } from '@slipway/contract/activity.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { activityQuery, type ActivityState, type ActivityQuery } from './activity-filter.ts';
import { spanAround } from './entry-time.ts';
import { send2xx } from '#kit/api/call.ts';
import { saveFile } from '#kit/save-file.ts';

/** `subject`: key of a single resource. */
export type ActivityScope = { app: string; env: string; service?: string; subject?: string } | { team: string };

const pageSize = 25;
const most = 100;

type Query = NonNullable<Parameters<typeof useQuery<typeof teamActivityList>>[1]>;
const useLog = (scope: ActivityScope, query: (Query & object)['query'] | undefined): QueryResult<typeof teamActivityList> => {
  const isOfTeam = 'team' in scope;
  const team = useQuery(teamActivityList, query && isOfTeam && { params: { team: scope.team }, query }, { keepPreviousData: true });
  const app = useQuery(appActivityList, query && !isOfTeam && { params: { app: scope.app, env: scope.env }, query }, {
    keepPreviousData: true,
  });
  return isOfTeam ? team : app;
};

/** Returns the fixed filters of the log, which users cannot choose. */
export const aboutOf = (scope: ActivityScope): { service?: string | undefined; subject?: string | undefined } | undefined =>
  'team' in scope || (scope.service === undefined && scope.subject === undefined)
    ? undefined
    : { service: scope.service, subject: scope.subject };

export const useActivity = (scope: ActivityScope, state: ActivityState): QueryResult<typeof teamActivityList> =>
  useLog(scope, { page: state.page, size: pageSize, ...activityQuery(state, aboutOf(scope)) });

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
export const exportActivity = async (place: { app: string; env: string }, query: ActivityQuery, format: 'csv' | 'json'): Promise<void> => {
  const { app, env } = place;
  const response = await send2xx(appActivityExport, { params: { app, env }, query: { ...query, format } });
  const ending = format === 'csv' ? 'csv' : 'jsonl';
  saveFile(await response.blob(), `${query.service ?? app}-${env}-activity.${ending}`);
};
